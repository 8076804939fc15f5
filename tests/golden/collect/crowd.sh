# SPDX-License-Identifier: Apache-2.0
# Sockets in a hostile place: a crowd that holds connections open keeps nobody out and does not end the server; files that are no sockets
# stay where they are; pipes keep their writers.
command -v python3 >/dev/null || exit 77
dusk collect plan --domain 100 --users 1000 --epsilon 1 --mechanism grr --out task.json >/dev/null 2>&1
seq 0 99 | dusk collect encode --task task.json --out one.cbor 2>/dev/null
aggregate() { dusk collect aggregate --task task.json --checkpoint 0 "$@"; }
# serve STATE PLACE: in the background, from when it listens
serve() {
    : >err.txt
    dusk collect aggregate --task task.json --checkpoint 0 --threads 2 --state "$1" --listen "$2" >out.txt 2>err.txt &
    server=$!
    while [ "$(wc -l <err.txt)" -lt 1 ]; do sleep 0.02; done
}
# what is there and is no socket is not removed
echo "years of work" >data.csv
aggregate --state a.tally --listen ./data.csv || echo "exit $?"
cat data.csv
# a port without a host is no name of a socket
aggregate --state a.tally --listen 7464 || echo "exit $?"
# more connections than there may be open files; some send a byte now and then
cat >crowd.py <<'P'
import socket, struct, threading, time
crowd = []
for i in range(20):
    s = socket.socket(socket.AF_UNIX)
    s.settimeout(5)
    s.connect("here")
    crowd.append(s)
def dribble():
    while crowd:
        for s in crowd[::3]:
            try: s.send(b"\x58")
            except OSError: pass
        time.sleep(0.3)
threading.Thread(target=dribble, daemon=True).start()
s = socket.socket(socket.AF_UNIX)
s.settimeout(50)
s.connect("here")
s.sendall(open("one.cbor", "rb").read())
s.shutdown(socket.SHUT_WR)
answer = b""
while more := s.recv(100):
    answer += more
print("told", struct.unpack(">BQBQ", answer)[1::2])
P
ulimit -n 30
aggregate --state a.tally --listen here --threads 20 || echo "exit $?"
serve b.tally here
python3 crowd.py
# a second server at the same place, and one with the same state by another name
ln -s b.tally other.tally
aggregate --state other.tally one.cbor || echo "exit $?"
aggregate --state c.tally --listen here || echo "exit $?"
kill -TERM $server
wait $server || echo "exit $?"
head -2 out.txt
[ -e here ] || echo "removed"
# a socket that another program has put there stays
serve b.tally here
mv here away
python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind("here")'
kill -TERM $server
wait $server
[ -S here ] && echo "not removed"
# one that was left over does not
serve b.tally here
kill -TERM $server
wait $server && [ ! -e here ] && echo "taken over"
# hosts in brackets
serve b.tally '[127.0.0.1]:0'
kill -TERM $server
wait $server
sed 's/[0-9]*$//' err.txt
# a pipe has one reader, from its beginning to its end
mkfifo pipe
(cat one.cbor >pipe; echo "written: $?" >written.txt) &
aggregate --state d.tally pipe | head -2
wait
cat written.txt
# a state that is a pipe is not waited for
aggregate --state pipe one.cbor || echo "exit $?"
