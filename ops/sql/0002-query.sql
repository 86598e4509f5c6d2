-- Blocks as tables for people: what `kairn node --sql` fills, block by block. Statements of the common subset alone.
-- Bytes are BYTEA, amounts are kei in NUMERIC, so that sums are exact. docs/guide/sql.md has examples.

-- How far the tables are, of which chain; one row. Whoever fills them moves it in the same transaction.
CREATE TABLE query_state (
  id INT PRIMARY KEY CHECK (id = 1),
  genesis BYTEA NOT NULL,
  chain_id BIGINT NOT NULL,
  -- The newest block that is in the tables; -1 before the first.
  height BIGINT NOT NULL,
  hash BYTEA NOT NULL
);

CREATE TABLE blocks (
  number BIGINT PRIMARY KEY,
  hash BYTEA NOT NULL,
  parent_hash BYTEA NOT NULL,
  -- Seconds since 1970.
  timestamp BIGINT NOT NULL,
  -- Who sealed it; zero for the genesis block.
  proposer BYTEA NOT NULL,
  reward_base BYTEA NOT NULL,
  -- Consensus round in which it was decided.
  round INT NOT NULL,
  state_root BYTEA NOT NULL,
  transaction_count INT NOT NULL,
  gas_used NUMERIC(20) NOT NULL,
  -- NULL before the fork magma.
  base_fee NUMERIC(78)
);
CREATE INDEX blocks_by_hash ON blocks (hash);

CREATE TABLE transactions (
  block_number BIGINT NOT NULL,
  transaction_index INT NOT NULL,
  hash BYTEA NOT NULL,
  -- TxTypeValueTransfer, TxTypeFeeDelegatedSmartContractExecution, ... as kaia_getTransactionByHash names them.
  type TEXT NOT NULL,
  -- Its number: 0, 8 (0x08) to 74 (0x4a), 30721 (0x7801) to 30724.
  type_code INT NOT NULL,
  sender BYTEA NOT NULL,
  -- NULL for a deployment, and for types without one.
  recipient BYTEA,
  nonce NUMERIC(20) NOT NULL,
  value NUMERIC(78) NOT NULL,
  gas NUMERIC(20) NOT NULL,
  -- What was offered, and what was paid, in kei per gas.
  gas_price NUMERIC(78) NOT NULL,
  effective_gas_price NUMERIC(78) NOT NULL,
  input BYTEA NOT NULL,
  -- NULL where the sender pays.
  fee_payer BYTEA,
  -- Percentage that the fee payer pays; NULL where it pays nothing or all.
  fee_ratio INT,
  -- Hash without the fee payer's part.
  sender_hash BYTEA NOT NULL,
  PRIMARY KEY (block_number, transaction_index)
);
CREATE INDEX transactions_by_hash ON transactions (hash);
CREATE INDEX transactions_by_sender ON transactions (sender, block_number);
CREATE INDEX transactions_by_recipient ON transactions (recipient, block_number);
CREATE INDEX transactions_by_fee_payer ON transactions (fee_payer, block_number);

CREATE TABLE receipts (
  block_number BIGINT NOT NULL,
  transaction_index INT NOT NULL,
  transaction_hash BYTEA NOT NULL,
  -- 1 = success, else the reference's number of the error.
  status INT NOT NULL,
  gas_used NUMERIC(20) NOT NULL,
  -- What was paid for it by sender and fee payer together, in kei.
  fee NUMERIC(78) NOT NULL,
  contract_address BYTEA,
  log_count INT NOT NULL,
  PRIMARY KEY (block_number, transaction_index)
);
CREATE INDEX receipts_by_hash ON receipts (transaction_hash);

CREATE TABLE logs (
  block_number BIGINT NOT NULL,
  -- Within the block.
  log_index INT NOT NULL,
  transaction_index INT NOT NULL,
  address BYTEA NOT NULL,
  topic0 BYTEA,
  topic1 BYTEA,
  topic2 BYTEA,
  topic3 BYTEA,
  data BYTEA NOT NULL,
  PRIMARY KEY (block_number, log_index)
);
CREATE INDEX logs_by_address ON logs (address, block_number);
CREATE INDEX logs_by_topic0 ON logs (topic0, block_number);
CREATE INDEX logs_by_topic1 ON logs (topic1, block_number);
CREATE INDEX logs_by_topic2 ON logs (topic2, block_number);

-- What logs say of tokens: ERC-20 and KIP-7, ERC-721 and KIP-17, ERC-1155 and KIP-37. Whoever wrote a contract may have it say anything.
CREATE TABLE token_transfers (
  block_number BIGINT NOT NULL,
  log_index INT NOT NULL,
  -- From 0, within a batch.
  batch_index INT NOT NULL,
  transaction_index INT NOT NULL,
  -- fungible, unique or multi
  kind TEXT NOT NULL,
  token BYTEA NOT NULL,
  sender BYTEA NOT NULL,
  recipient BYTEA NOT NULL,
  -- NULL for fungible ones.
  token_id NUMERIC(78),
  amount NUMERIC(78) NOT NULL,
  PRIMARY KEY (block_number, log_index, batch_index)
);
CREATE INDEX token_transfers_by_token ON token_transfers (token, block_number);
CREATE INDEX token_transfers_by_sender ON token_transfers (sender, block_number);
CREATE INDEX token_transfers_by_recipient ON token_transfers (recipient, block_number);

-- Keys that account updates have set. The key of an account without a row is the one that its address follows from, or that of the genesis.
CREATE TABLE accounts_keys (
  block_number BIGINT NOT NULL,
  transaction_index INT NOT NULL,
  account BYTEA NOT NULL,
  -- legacy, public, fail, weightedMultisig or roleBased
  kind TEXT NOT NULL,
  -- As in the transaction: {"keyType":2,"key":{...}}; a role that it leaves as it is has the type 0.
  key TEXT NOT NULL,
  PRIMARY KEY (block_number, transaction_index)
);
CREATE INDEX accounts_keys_by_account ON accounts_keys (account, block_number);

-- The newest key of each account.
CREATE VIEW accounts_keys_now AS
SELECT k.account, k.kind, k.key, k.block_number, k.transaction_index
FROM accounts_keys k
WHERE NOT EXISTS (
  SELECT 1 FROM accounts_keys newer
  WHERE newer.account = k.account
    AND (newer.block_number > k.block_number
      OR (newer.block_number = k.block_number AND newer.transaction_index > k.transaction_index))
);
