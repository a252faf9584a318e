#!/bin/sh
# Makes the messy folder of docs/guides/wizards.md: sh examples/wizards/make-data.sh [FOLDER]
set -e
folder=${1:-messy}
mkdir -p "$folder/clients/CLIENT-ABC/2024/Q1" "$folder/clients/CLIENT-XYZ/2024/Q2" "$folder/notes"

# Orders, one file a month: words for yes and no, gaps, days the European way.
for month in 01 02 03; do
    printf 'order_id,customer,amount,order_date,paid\n' > "$folder/orders_2024_$month.csv"
    for day in 05 14 23 27; do
        printf '1%s%s,"Customer, No. %s",1%s.50,%s/%s/2024,yes\n' \
            "$month" "$day" "$day" "$day" "$day" "$month" >> "$folder/orders_2024_$month.csv"
    done
    printf '1%s99,Late customer,NA,28/%s/2024,no\n' "$month" "$month" >> "$folder/orders_2024_$month.csv"
done

# What a spreadsheet exports: semicolons, a byte order mark, lines before the table.
printf '\357\273\277Exported on Monday\n\nstation;reading;taken\nNorth;"1,250.5";2024-01-05T10:00:00Z\nSouth;7;2024-01-05T11:00:00Z\n' \
    > "$folder/readings.csv"

# What a service logs: one JSON object a line.
printf '{"id": 1, "event": "start", "user": {"name": "ann"}}\n{"id": 2, "event": "stop"}\n' > "$folder/events.ndjson"

printf 'client_id,total\nABC,120\n' > "$folder/clients/CLIENT-ABC/2024/Q1/report.csv"
printf 'client_id,total\nXYZ,80\n' > "$folder/clients/CLIENT-XYZ/2024/Q2/report.csv"
printf 'Nothing to see here.\n' > "$folder/notes/README.md"
echo "made $folder"
