-- Rights for the nodes of a cluster, and for people; to be run by the owner of the database, once, before the first writer.
-- psql -v ON_ERROR_STOP=1 -d kaia -f roles.sql, then \password for each.
CREATE ROLE kairn_writer LOGIN;
CREATE ROLE kairn_follower LOGIN;
-- May read the tables of blocks once reader.sql was run.
CREATE ROLE kairn_reader LOGIN;
REVOKE ALL ON SCHEMA public FROM PUBLIC;
GRANT USAGE, CREATE ON SCHEMA public TO kairn_writer;
GRANT USAGE ON SCHEMA public TO kairn_follower, kairn_reader;
-- Tables of records are made as the chain grows.
ALTER DEFAULT PRIVILEGES FOR ROLE kairn_writer IN SCHEMA public GRANT SELECT ON TABLES TO kairn_follower;
