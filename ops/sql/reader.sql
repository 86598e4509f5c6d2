-- Who asks questions sees the tables of blocks alone, not the change log; to be run as kairn_writer, once, after `kairn node --sql`
-- has made them.
GRANT SELECT ON blocks, transactions, receipts, logs, token_transfers, accounts_keys, accounts_keys_now, query_state TO kairn_reader;
