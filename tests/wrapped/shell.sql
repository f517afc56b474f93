CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT, value REAL);
BEGIN;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
INSERT INTO t SELECT i, printf('row %d of %s', i, hex(i * 7919)), i / 7.0 FROM n;
COMMIT;
CREATE INDEX by_name ON t(name);
.mode column
SELECT count(*), total(value), max(name) FROM t;
SELECT id, name, value FROM t WHERE id % 250 = 7;
.mode csv
SELECT name, round(value, 3) FROM t ORDER BY name DESC LIMIT 40;
UPDATE t SET name = upper(name) WHERE id % 3 = 0;
DELETE FROM t WHERE id % 5 = 0;
VACUUM;
PRAGMA integrity_check;
.schema
SELECT sum(length(name)), count(DISTINCT name) FROM t;
