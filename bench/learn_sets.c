/* SPDX-License-Identifier: Apache-2.0 */
/* The public data sets by name. Categories and bounds are those of the data sets' own descriptions, as round
 * numbers; amounts with long tails end where most people's do. The sets of uci-regression were centred by who
 * published them: their bounds are round numbers around all rows. */
#include "learn_sets.h"

/* clang-format off */
const bench_set bench_sets[] = {
    { .name = "adult",
      .train = "adult/adult.data.gz",
      .test = "adult/adult.test.gz",
      .header = "age,workclass,fnlwgt,education,education_num,marital_status,occupation,relationship,"
                "race,sex,capital_gain,capital_loss,hours_per_week,native_country,income",
      .line = BENCH_LINE_NO_DOT,
      .fields = "age numeric 17:90\n"
                "workclass category Private,Self-emp-not-inc,Self-emp-inc,Federal-gov,Local-gov,"
                "State-gov,Without-pay,Never-worked,?\n"
                "education category Bachelors,Some-college,11th,HS-grad,Prof-school,Assoc-acdm,"
                "Assoc-voc,9th,7th-8th,12th,Masters,1st-4th,10th,Doctorate,5th-6th,Preschool\n"
                "education_num numeric 1:16\n"
                "marital_status category Married-civ-spouse,Divorced,Never-married,Separated,Widowed,"
                "Married-spouse-absent,Married-AF-spouse\n"
                "occupation category Tech-support,Craft-repair,Other-service,Sales,Exec-managerial,"
                "Prof-specialty,Handlers-cleaners,Machine-op-inspct,Adm-clerical,Farming-fishing,"
                "Transport-moving,Priv-house-serv,Protective-serv,Armed-Forces,?\n"
                "relationship category Wife,Own-child,Husband,Not-in-family,Other-relative,Unmarried\n"
                "race category White,Asian-Pac-Islander,Amer-Indian-Eskimo,Other,Black\n"
                "sex category Female,Male\n"
                "capital_gain numeric 0:20000\n"
                "capital_loss numeric 0:5000\n"
                "hours_per_week numeric 1:99\n"
                "native_country category United-States,Cambodia,England,Puerto-Rico,Canada,Germany,"
                "Outlying-US(Guam-USVI-etc),India,Japan,Greece,South,China,Cuba,Iran,Honduras,"
                "Philippines,Italy,Poland,Jamaica,Vietnam,Mexico,Portugal,Ireland,France,"
                "Dominican-Republic,Laos,Ecuador,Taiwan,Haiti,Columbia,Hungary,Guatemala,Nicaragua,"
                "Scotland,Thailand,Yugoslavia,El-Salvador,Trinadad&Tobago,Peru,Hong,"
                "Holand-Netherlands,?\n"
                "income category <=50K,>50K\n",
      .label = "income" },
    { .name = "adult-4", /* columns, all numbers */
      .train = "adult/adult.data.gz",
      .test = "adult/adult.test.gz",
      .header = "age,workclass,fnlwgt,education,education_num,marital_status,occupation,relationship,"
                "race,sex,capital_gain,capital_loss,hours_per_week,native_country,income",
      .line = BENCH_LINE_NO_DOT,
      .fields = "age numeric 17:90\n"
                "education_num numeric 1:16\n"
                "capital_gain numeric 0:20000\n"
                "hours_per_week numeric 1:99\n"
                "income category <=50K,>50K\n",
      .label = "income" },
    { .name = "bank",
      .train = "bank-marketing/bank-full.csv.gz",
      .fields = "poutcome category failure,other,success,unknown\n"
                "job category admin.,blue-collar,entrepreneur,housemaid,management,retired,"
                "self-employed,services,student,technician,unemployed,unknown\n"
                "marital category divorced,married,single\n"
                "education category primary,secondary,tertiary,unknown\n"
                "default category no,yes\n"
                "housing category no,yes\n"
                "loan category no,yes\n"
                "contact category cellular,telephone,unknown\n"
                "day numeric 1:31\n"
                "month category jan,feb,mar,apr,may,jun,jul,aug,sep,oct,nov,dec\n"
                "campaign numeric 1:10\n"
                "duration numeric 0:2000\n"
                "pdays numeric -1:400\n"
                "previous numeric 0:10\n"
                "age numeric 18:95\n"
                "balance numeric -2000:20000\n"
                "y category no,yes\n",
      .label = "y" },
    { .name = "bank-4",
      .train = "bank-marketing/bank-full.csv.gz",
      .fields = "campaign numeric 1:10\n"
                "duration numeric 0:2000\n"
                "previous numeric 0:10\n"
                "age numeric 18:95\n"
                "y category no,yes\n",
      .label = "y" },
    { .name = "german",
      .train = "german-credit/german.data.gz",
      .header = "",
      .delimiter = '\t',
      .fields = "checking category A11,A12,A13,A14\n"
                "months numeric 0:72\n"
                "history category A30,A31,A32,A33,A34\n"
                "purpose category A40,A41,A42,A43,A44,A45,A46,A47,A48,A49,A410\n"
                "amount numeric 0:20000\n"
                "savings category A61,A62,A63,A64,A65\n"
                "employed category A71,A72,A73,A74,A75\n"
                "rate numeric 1:4\n"
                "status category A91,A92,A93,A94,A95\n"
                "debtors category A101,A102,A103\n"
                "residence numeric 1:4\n"
                "property category A121,A122,A123,A124\n"
                "age numeric 18:80\n"
                "plans category A141,A142,A143\n"
                "housing category A151,A152,A153\n"
                "credits numeric 1:4\n"
                "job category A171,A172,A173,A174\n"
                "dependants numeric 1:2\n"
                "phone category A191,A192\n"
                "foreign category A201,A202\n"
                "credit category 1,2\n",
      .label = "credit" },
    { .name = "compas",
      .train = "compas/compas-scores-two-years.csv.gz",
      .header = "id,screened,sex,age,age_cat,race,juv_fel,decile,juv_misd,juv_other,priors,"
                "days_before,jail_in,jail_out,offense_date,arrest_date,days_from,degree,unused18,"
                "unused19,unused20,unused21,unused22,unused23,unused24,unused25,unused26,unused27,"
                "unused28,unused29,unused30,unused31,unused32,unused33,unused34,unused35,unused36,"
                "unused37,unused38,unused39,unused40,unused41,unused42,unused43,unused44,recid",
      .line = BENCH_LINE_NOT_FIRST,
      .fields = "sex category Female,Male\n"
                "age numeric 18:80\n"
                "race category African-American,Asian,Caucasian,Hispanic,\"Native American\",Other\n"
                "juv_fel numeric 0:5\n"
                "juv_misd numeric 0:5\n"
                "juv_other numeric 0:5\n"
                "priors numeric 0:20\n"
                "degree category F,M\n"
                "recid category 0,1\n",
      .label = "recid" },
    { .name = "compas-3",
      .train = "compas/compas-scores-two-years.csv.gz",
      .header = "id,screened,sex,age,age_cat,race,juv_fel,decile,juv_misd,juv_other,priors,"
                "days_before,jail_in,jail_out,offense_date,arrest_date,days_from,degree,unused18,"
                "unused19,unused20,unused21,unused22,unused23,unused24,unused25,unused26,unused27,"
                "unused28,unused29,unused30,unused31,unused32,unused33,unused34,unused35,unused36,"
                "unused37,unused38,unused39,unused40,unused41,unused42,unused43,unused44,recid",
      .line = BENCH_LINE_NOT_FIRST,
      .fields = "age numeric 18:80\n"
                "juv_fel numeric 0:5\n"
                "priors numeric 0:20\n"
                "recid category 0,1\n",
      .label = "recid" },
    { .name = "covertype",
      .train = "covertype-20k/covtype.20k.data.gz",
      .header = "",
      .line = BENCH_LINE_COVER,
      .fields = "elevation numeric 1800:3900\n"
                "aspect numeric 0:360\n"
                "slope numeric 0:66\n"
                "water_across numeric 0:1400\n"
                "water_down numeric -200:600\n"
                "roads numeric 0:7200\n"
                "shade_morning numeric 0:255\n"
                "shade_noon numeric 0:255\n"
                "shade_afternoon numeric 0:255\n"
                "fires numeric 0:7200\n"
                "wilderness category 1,2,3,4\n"
                "soil category 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,"
                "27,28,29,30,31,32,33,34,35,36,37,38,39,40\n"
                "cover category 1,2,3,4,5,6,7\n",
      .label = "cover" },
    { .name = "kddcup99",
      .train = "kddcup99/kddcup.data_10_percent.gz",
      .test = "kddcup99/corrected.gz",
      .header = "",
      .line = BENCH_LINE_ATTACK,
      .fields = "duration numeric 0:10000\n"
                "protocol category icmp,tcp,udp\n"
                "service category aol,auth,bgp,courier,csnet_ns,ctf,daytime,discard,domain,domain_u,"
                "echo,eco_i,ecr_i,efs,exec,finger,ftp,ftp_data,gopher,harvest,hostnames,http,"
                "http_2784,http_443,http_8001,icmp,imap4,IRC,iso_tsap,klogin,kshell,ldap,link,login,"
                "mtp,name,netbios_dgm,netbios_ns,netbios_ssn,netstat,nnsp,nntp,ntp_u,other,pm_dump,"
                "pop_2,pop_3,printer,private,red_i,remote_job,rje,shell,smtp,sql_net,ssh,sunrpc,"
                "supdup,systat,telnet,tftp_u,tim_i,time,urh_i,urp_i,uucp,uucp_path,vmnet,whois,X11,"
                "Z39_50\n"
                "flag category OTH,REJ,RSTO,RSTOS0,RSTR,S0,S1,S2,S3,SF,SH\n"
                "src_bytes numeric 0:10000\n"
                "dst_bytes numeric 0:10000\n"
                "land numeric 0:1\n"
                "wrong_fragment numeric 0:3\n"
                "urgent numeric 0:3\n"
                "hot numeric 0:30\n"
                "failed_logins numeric 0:5\n"
                "logged_in numeric 0:1\n"
                "compromised numeric 0:10\n"
                "root_shell numeric 0:1\n"
                "su_attempted numeric 0:2\n"
                "num_root numeric 0:10\n"
                "file_creations numeric 0:10\n"
                "shells numeric 0:2\n"
                "access_files numeric 0:10\n"
                "outbound_cmds numeric 0:1\n"
                "host_login numeric 0:1\n"
                "guest_login numeric 0:1\n"
                "count numeric 0:511\n"
                "srv_count numeric 0:511\n"
                "serror numeric 0:1\n"
                "srv_serror numeric 0:1\n"
                "rerror numeric 0:1\n"
                "srv_rerror numeric 0:1\n"
                "same_srv numeric 0:1\n"
                "diff_srv numeric 0:1\n"
                "srv_diff_host numeric 0:1\n"
                "dst_count numeric 0:255\n"
                "dst_srv_count numeric 0:255\n"
                "dst_same_srv numeric 0:1\n"
                "dst_diff_srv numeric 0:1\n"
                "dst_same_port numeric 0:1\n"
                "dst_srv_diff_host numeric 0:1\n"
                "dst_serror numeric 0:1\n"
                "dst_srv_serror numeric 0:1\n"
                "dst_rerror numeric 0:1\n"
                "dst_srv_rerror numeric 0:1\n"
                "attack category no,yes\n",
      .label = "attack" },
    { .name = "mnist",
      .train = "mnist/train-images-idx3-ubyte.gz",
      .test = "mnist/t10k-images-idx3-ubyte.gz",
      .labels = { "mnist/train-labels-idx1-ubyte.gz", "mnist/t10k-labels-idx1-ubyte.gz" },
      .fields = "pixel[784] numeric 0:255\n"
                "digit category 0,1,2,3,4,5,6,7,8,9\n",
      .label = "digit" },
    { .name = "fashion-mnist", /* of Debian's dataset-fashion-mnist */
      .train = "/usr/share/datasets/fashion-mnist/train-images-idx3-ubyte.gz",
      .test = "/usr/share/datasets/fashion-mnist/t10k-images-idx3-ubyte.gz",
      .labels = { "/usr/share/datasets/fashion-mnist/train-labels-idx1-ubyte.gz",
                  "/usr/share/datasets/fashion-mnist/t10k-labels-idx1-ubyte.gz" },
      .fields = "pixel[784] numeric 0:255\n"
                "article category 0,1,2,3,4,5,6,7,8,9\n",
      .label = "article" },
    { .name = "california",
      .train = "california-housing/housing.csv.gz",
      .fields = "longitude numeric -125:-114\n"
                "latitude numeric 32:42\n"
                "housing_median_age numeric 0:52\n"
                "total_rooms numeric 0:10000\n"
                "total_bedrooms numeric 0:2000 missing 500\n"
                "population numeric 0:5000\n"
                "households numeric 0:2000\n"
                "median_income numeric 0:15\n"
                "median_house_value numeric 0:500000\n"
                "ocean_proximity category \"<1H OCEAN\",INLAND,ISLAND,\"NEAR BAY\",\"NEAR OCEAN\"\n",
      .label = "median_house_value" },
    { .name = "california-4",
      .train = "california-housing/housing.csv.gz",
      .fields = "latitude numeric 32:42\n"
                "longitude numeric -125:-114\n"
                "housing_median_age numeric 0:52\n"
                "median_income numeric 0:15\n"
                "median_house_value numeric 0:500000\n",
      .label = "median_house_value" },
    { .name = "breast_cancer",
      .train = "sklearn-small/breast_cancer.csv.gz",
      .fields = "mean_radius numeric 5:30\n"
                "mean_texture numeric 5:40\n"
                "mean_perimeter numeric 40:200\n"
                "mean_area numeric 100:2600\n"
                "mean_smoothness numeric 0.05:0.17\n"
                "mean_compactness numeric 0:0.35\n"
                "mean_concavity numeric 0:0.5\n"
                "mean_concave_points numeric 0:0.25\n"
                "mean_symmetry numeric 0.1:0.35\n"
                "mean_fractal_dimension numeric 0.04:0.1\n"
                "se_radius numeric 0:3\n"
                "se_texture numeric 0:5\n"
                "se_perimeter numeric 0:25\n"
                "se_area numeric 0:550\n"
                "se_smoothness numeric 0:0.04\n"
                "se_compactness numeric 0:0.15\n"
                "se_concavity numeric 0:0.4\n"
                "se_concave_points numeric 0:0.06\n"
                "se_symmetry numeric 0:0.08\n"
                "se_fractal_dimension numeric 0:0.03\n"
                "worst_radius numeric 5:40\n"
                "worst_texture numeric 10:50\n"
                "worst_perimeter numeric 50:260\n"
                "worst_area numeric 150:4300\n"
                "worst_smoothness numeric 0.05:0.25\n"
                "worst_compactness numeric 0:1.1\n"
                "worst_concavity numeric 0:1.3\n"
                "worst_concave_points numeric 0:0.3\n"
                "worst_symmetry numeric 0.1:0.7\n"
                "worst_fractal_dimension numeric 0.05:0.21\n"
                "benign category 0,1\n",
      .label = "benign" },
    { .name = "diabetes",
      .train = "sklearn-small/diabetes.csv.gz",
      .fields = "age numeric 18:80\n"
                "sex numeric 1:2\n"
                "bmi numeric 15:45\n"
                "bp numeric 60:140\n"
                "s1 numeric 90:310\n"
                "s2 numeric 40:250\n"
                "s3 numeric 20:100\n"
                "s4 numeric 2:10\n"
                "s5 numeric 3:6.5\n"
                "s6 numeric 55:130\n"
                "target numeric 25:350\n",
      .label = "target" },
    { .name = "iris",
      .train = "sklearn-small/iris.csv.gz",
      .fields = "sepal_length numeric 4:8\n"
                "sepal_width numeric 2:5\n"
                "petal_length numeric 1:7\n"
                "petal_width numeric 0:3\n"
                "class category 0,1,2\n",
      .label = "class" },
    { .name = "digits",
      .train = "sklearn-small/digits.csv.gz",
      .header = "",
      .fields = "pixel[64] numeric 0:16\n"
                "digit category 0,1,2,3,4,5,6,7,8,9\n",
      .label = "digit" },
    { .name = "wine",
      .train = "sklearn-small/wine.csv.gz",
      .fields = "alcohol numeric 11:15\n"
                "malic_acid numeric 0:6\n"
                "ash numeric 1:4\n"
                "alcalinity_of_ash numeric 10:30\n"
                "magnesium numeric 70:170\n"
                "total_phenols numeric 0:4\n"
                "flavanoids numeric 0:6\n"
                "nonflavanoid_phenols numeric 0:1\n"
                "proanthocyanins numeric 0:4\n"
                "color_intensity numeric 1:13\n"
                "hue numeric 0:2\n"
                "od280_od315 numeric 1:4\n"
                "proline numeric 250:1700\n"
                "class category 0,1,2\n",
      .label = "class" },
    { .name = "boston",
      .train = "sklearn-small/boston.csv.gz",
      .fields = "CRIM numeric 0:90\n"
                "ZN numeric 0:100\n"
                "INDUS numeric 0:30\n"
                "CHAS numeric 0:1\n"
                "NOX numeric 0.3:0.9\n"
                "RM numeric 3:9\n"
                "AGE numeric 0:100\n"
                "DIS numeric 1:13\n"
                "RAD numeric 1:24\n"
                "TAX numeric 150:720\n"
                "PTRATIO numeric 12:22\n"
                "B numeric 0:400\n"
                "LSTAT numeric 0:40\n"
                "MEDV numeric 0:50\n",
      .label = "MEDV" },
    { .name = "winequality",
      .train = "wine-quality/winequality-white.csv.gz",
      .delimiter = ';',
      .fields = "\"fixed acidity\" numeric 3:15\n"
                "\"volatile acidity\" numeric 0:1.2\n"
                "\"citric acid\" numeric 0:1.7\n"
                "\"residual sugar\" numeric 0:66\n"
                "chlorides numeric 0:0.4\n"
                "\"free sulfur dioxide\" numeric 0:300\n"
                "\"total sulfur dioxide\" numeric 0:450\n"
                "density numeric 0.98:1.04\n"
                "pH numeric 2.7:3.9\n"
                "sulphates numeric 0.2:1.1\n"
                "alcohol numeric 8:15\n"
                "quality numeric 0:10\n",
      .label = "quality" },
    { .name = "s1",
      .train = "clustering-sipu/s1.data.gz",
      .header = "",
      .line = BENCH_LINE_BLANKS,
      .fields = "x numeric 0:1000000\ny numeric 0:1000000\n" },
    { .name = "s2",
      .train = "clustering-sipu/s2.data.gz",
      .header = "",
      .line = BENCH_LINE_BLANKS,
      .fields = "x numeric 0:1000000\ny numeric 0:1000000\n" },
    { .name = "s3",
      .train = "clustering-sipu/s3.data.gz",
      .header = "",
      .line = BENCH_LINE_BLANKS,
      .fields = "x numeric 0:1000000\ny numeric 0:1000000\n" },
    { .name = "s4",
      .train = "clustering-sipu/s4.data.gz",
      .header = "",
      .line = BENCH_LINE_BLANKS,
      .fields = "x numeric 0:1000000\ny numeric 0:1000000\n" },
    { .name = "a1",
      .train = "clustering-sipu/a1.data.gz",
      .header = "",
      .line = BENCH_LINE_BLANKS,
      .fields = "x numeric 0:65535\ny numeric 0:65535\n" },
    { .name = "a2",
      .train = "clustering-sipu/a2.data.gz",
      .header = "",
      .line = BENCH_LINE_BLANKS,
      .fields = "x numeric 0:65535\ny numeric 0:65535\n" },
    { .name = "a3",
      .train = "clustering-sipu/a3.data.gz",
      .header = "",
      .line = BENCH_LINE_BLANKS,
      .fields = "x numeric 0:65535\ny numeric 0:65535\n" },
    { .name = "birch1",
      .train = "clustering-sipu/birch1.data.gz",
      .header = "",
      .line = BENCH_LINE_BLANKS,
      .fields = "x numeric 0:1000000\ny numeric 0:1000000\n" },
    { .name = "birch2",
      .train = "clustering-sipu/birch2.data.gz",
      .header = "",
      .line = BENCH_LINE_BLANKS,
      .fields = "x numeric 0:1000000\ny numeric 0:1000000\n" },
    { .name = "unbalance",
      .train = "clustering-sipu/unbalance.data.gz",
      .header = "",
      .line = BENCH_LINE_BLANKS,
      .fields = "x numeric 0:600000\ny numeric 0:600000\n" },
    { .name = "airfoil",
      .train = "uci-regression/airfoil.csv.gz",
      .bounds = "-2700:18000 -6.8:16 -0.12:0.17 -20:21 -0.011:0.048 -22:17",
      .label = "y" },
    { .name = "autompg",
      .train = "uci-regression/autompg.csv.gz",
      .bounds = "-2.5:2.6 -130:270 -59:130 -1400:2200 -7.6:9.3 -6:6.1 -0.58:1.5 -15:24",
      .label = "y" },
    { .name = "bike",
      .train = "uci-regression/bike.csv.gz",
      .bounds = "-0.51:0.5 -5.6:5.5 -15:16 -1.6:1.5 -0.51:0.5 -5.6:5.5 -12:12 -0.029:0.98 -3.1:3 "
                "-0.69:0.32 -0.43:2.6 -0.48:0.51 -0.48:0.53 -0.63:0.38 -0.2:0.67 -36:340 -160:740 "
                "-4.6:2.4",
      .label = "y" },
    { .name = "concrete",
      .train = "uci-regression/concrete.csv.gz",
      .bounds = "-180:260 -74:290 -55:150 -60:66 -6.3:26 -180:180 -180:220 -45:320 -34:47",
      .label = "y" },
    { .name = "elevators",
      .train = "uci-regression/elevators.csv.gz",
      .bounds = "-990:990 -87:110 -1.4:1.2 -0.51:0.64 -3.1:2.9 -13:7.8 -56:46 -0.083:0.058 -8.3:8.6 "
                "-0.0028:0.00076 -0.0028:0.00076 -0.0028:0.00076 -0.0027:0.00076 -0.0007:0.00071 "
                "-1.9e-08:0.0002 -0.0006:0.00051 -3.1e-08:0.0002 -0.0027:0.00076 -0.56:1.4",
      .label = "y" },
    { .name = "energy",
      .train = "uci-regression/energy.csv.gz",
      .bounds = "-0.15:0.22 -160:140 -74:98 -67:44 -1.8:1.8 -1.5:1.5 -0.24:0.17 -2.9:2.2 -17:21",
      .label = "y" },
    { .name = "fertility",
      .train = "uci-regression/fertility.csv.gz",
      .bounds = "-0.93:1.1 -0.17:0.34 -0.87:0.13 -0.44:0.56 -0.51:0.49 -1.2:0.81 -0.64:0.17 -0.65:1.4 "
                "-0.12:0.88 -0.35:0.6",
      .label = "y" },
    { .name = "uci-housing",
      .train = "uci-regression/housing.csv.gz",
      .bounds = "-3.7:86 -12:89 -11:17 -0.07:0.94 -0.17:0.32 -2.8:2.5 -66:32 -2.7:8.4 -8.6:15 -230:310 "
                "-5.9:3.6 -360:41 -11:26 -18:28",
      .label = "y" },
    { .name = "kin40k",
      .train = "uci-regression/kin40k.csv.gz",
      .bounds = "-1.8:1.8 -1.8:1.8 -1.8:1.8 -1.8:1.8 -1.8:1.8 -1.8:1.8 -1.8:1.8 -1.8:1.8 -4:3.3",
      .label = "y" },
    { .name = "machine",
      .train = "uci-regression/machine.csv.gz",
      .bounds = "-300:30000 -190:1300 -2900:30000 -12000:53000 -26:240 -4.7:48 -19:160 -2.3:3.1",
      .label = "y" },
    { .name = "pol",
      .train = "uci-regression/pol.csv.gz",
      .bounds = "-64:130 -18:110 -7.8:120 -4.5:130 -2:110 -5.9:130 -13:130 -13:140 -13:130 -12:120 "
                "-12:140 -8.2:110 -3.9:120 -3.7:120 -3.7:130 -2.8:110 -1.5:89 -1.3:71 -0.95:110 -0.93:96 "
                "-1.1:73 -0.79:67 -0.5:44 -0.53:69 -0.51:50 -0.25:39 -29:72",
      .label = "y" },
    { .name = "protein",
      .train = "uci-regression/protein.csv.gz",
      .bounds = "-7500:31000 -2700:13000 -0.21:0.28 -94:270 -1.1e+06:4.2e+06 -120:460 -4000:110000 "
                "-70:290 -20:21 -1.9:1.2",
      .label = "y" },
    { .name = "servo",
      .train = "uci-regression/servo.csv.gz",
      .bounds = "-1.9:2.2 -1.9:2.2 -1.2:1.9 -1.6:2.5 -2:2.1",
      .label = "y" },
    { .name = "uci-wine",
      .train = "uci-regression/wine.csv.gz",
      .bounds = "-3.8:7.6 -0.41:1.1 -0.28:0.73 -1.7:13 -0.076:0.53 -15:57 -41:250 -0.0067:0.007 "
                "-0.58:0.7 -0.33:1.4 -2.7:2.4 -2.1:4.5",
      .label = "y" },
    { .name = "yacht",
      .train = "uci-regression/yacht.csv.gz",
      .bounds = "-2.7:2.4 -0.035:0.036 -0.45:0.36 -1.2:1.5 -0.48:0.44 -0.17:0.17 -5.7:3.1",
      .label = "y" },
    { .name = NULL },
};
