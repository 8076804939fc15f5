# SPDX-License-Identifier: Apache-2.0
# Adult from its files to a score, and what a plain guess reaches.
[ -n "${DUSK_DATA-}" ] || { echo "skipped: DUSK_DATA is not set" >&2; exit 77; }

header=age,workclass,fnlwgt,education,education_num,marital_status,occupation,relationship,race,sex,capital_gain,capital_loss,hours_per_week,native_country,income
cat >adult.fields <<'END'
age            numeric 17:90
workclass      category Private,Self-emp-not-inc,Self-emp-inc,Federal-gov,Local-gov,State-gov,Without-pay,Never-worked
education_num  numeric 1:16
marital_status category Married-civ-spouse,Divorced,Never-married,Separated,Widowed,Married-spouse-absent,Married-AF-spouse
occupation     category Tech-support,Craft-repair,Other-service,Sales,Exec-managerial,Prof-specialty,Handlers-cleaners,Machine-op-inspct,Adm-clerical,Farming-fishing,Transport-moving,Priv-house-serv,Protective-serv,Armed-Forces
relationship   category Wife,Own-child,Husband,Not-in-family,Other-relative,Unmarried
race           category White,Asian-Pac-Islander,Amer-Indian-Eskimo,Other,Black
sex            category Female,Male
capital_gain   numeric 0:20000
capital_loss   numeric 0:5000
hours_per_week numeric 1:99
income         category <=50K,>50K
END
gzip -dc "$DUSK_DATA/adult/adult.test.gz" | sed -n 's/\.$//p' >test.csv
for learner in boosting logistic; do
    dusk train $learner "$DUSK_DATA/adult/adult.data.gz?header=$header" --schema adult.fields --label income \
        --epsilon 1 --delta 1e-9 --rows 32561 --out adult.model 2>/dev/null | grep -e ^learned -e ^from
    dusk score adult.model "test.csv?header=$header" --json 2>/dev/null >scores
    python3 -c 'import json; s = json.load(open("scores")); print(s["rows"], "rows; accuracy above 0.83:", s["accuracy"] > 0.83, "AUC above 0.86:", s["auc"] > 0.86)'
    dusk predict adult.model "test.csv?header=$header" | sort | uniq -c | awk '{ print $2 }'
done
