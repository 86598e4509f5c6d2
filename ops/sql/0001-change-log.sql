-- The change log of one chain: who may write it, how far it is, and what new followers begin from.
-- Statements of the common subset alone: PostgreSQL, and what speaks its protocol.

-- Which chain this database carries; one.
CREATE TABLE chain (
  id INT PRIMARY KEY CHECK (id = 1),
  genesis BYTEA NOT NULL,
  chain_id BIGINT NOT NULL,
  -- Form of the records.
  format INT NOT NULL,
  created TIMESTAMPTZ NOT NULL DEFAULT now()
);

-- Who writes, until when, and the newest record. Each record moves height and hash in its own statement,
-- which an epoch that is over does not match.
CREATE TABLE lease (
  id INT PRIMARY KEY CHECK (id = 1),
  epoch BIGINT NOT NULL,
  holder TEXT NOT NULL,
  -- Where the holder takes transactions.
  url TEXT NOT NULL,
  until TIMESTAMPTZ NOT NULL,
  height BIGINT NOT NULL,
  hash BYTEA NOT NULL,
  -- The oldest record that is still there.
  first BIGINT NOT NULL
);

-- The records themselves are in tables by range of heights, changes_0 (heights 0 to 65535), changes_1 and so on, which the
-- writer makes as it gets there and drops as they grow old:
--   height BIGINT PRIMARY KEY, epoch BIGINT, hash BYTEA, parent_hash BYTEA, state_root BYTEA, checksum BYTEA, payload BYTEA,
--   written TIMESTAMPTZ

-- What a new follower begins from: the files of a database in numbered parts, whole when all of them are there.
CREATE TABLE snapshots (
  height BIGINT NOT NULL,
  part INT NOT NULL,
  parts INT NOT NULL,
  hash BYTEA NOT NULL,
  file TEXT NOT NULL,
  sha256 BYTEA NOT NULL,
  bytes BYTEA NOT NULL,
  written TIMESTAMPTZ NOT NULL DEFAULT now(),
  PRIMARY KEY (height, part)
);
