# SPDX-License-Identifier: Apache-2.0
# Records through a socket: a sender is told what was taken once it is on disk; a server that was killed left what it told of.
command -v python3 >/dev/null || exit 77
dusk collect plan --domain 100 --users 1000 --epsilon 1 --mechanism grr --out task.json >/dev/null 2>&1
seq 0 99 | dusk collect encode --task task.json --out one.cbor 2>/dev/null
seq 0 49 | dusk collect encode --task task.json --out two.cbor 2>/dev/null
cat >send.py <<'P'
import socket, struct, sys
s = socket.socket(socket.AF_UNIX)
s.connect("here")
for piece in sys.argv[1:]:
    s.sendall(open(piece, "rb").read())
s.shutdown(socket.SHUT_WR)
answer = b""
while more := s.recv(100):
    answer += more
print("told", struct.unpack(">BQBQ", answer)[1::2])
P
serve() { : >err.txt; dusk collect aggregate --task task.json --state s.tally --listen ./here --checkpoint 0 --threads 2 >out.txt 2>err.txt & server=$!
    while [ "$(wc -l <err.txt)" -lt 1 ]; do sleep 0.02; done; }
serve
python3 send.py one.cbor
python3 send.py one.cbor two.cbor /dev/null task.json
python3 send.py /dev/null
kill -9 $server
wait $server 2>/dev/null || echo "killed"
serve
python3 send.py two.cbor
dusk collect aggregate --task task.json --state s.tally one.cbor || echo "exit $?"
kill -TERM $server
wait $server
cat err.txt out.txt
ls here 2>/dev/null
# a port of this machine
: >err.txt
dusk collect aggregate --task task.json --state p.tally --listen 127.0.0.1:0 --checkpoint 0 >out.txt 2>err.txt &
server=$!
while [ "$(wc -l <err.txt)" -lt 1 ]; do sleep 0.02; done
sed -i 's/socket.AF_UNIX//; s/"here"/("127.0.0.1", int(sys.argv.pop(1)))/' send.py
python3 send.py $(grep -o '[0-9]*$' err.txt) two.cbor
kill -TERM $server
wait $server
cat out.txt
