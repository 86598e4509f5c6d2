import { faultsOf } from "../../../ledger/extensions/valset/qualified.ts";
import type { ValidatorSets } from "../../../ledger/extensions/valset/validator-sets.ts";
import type { Header } from "../../../protocol/block/header.ts";
import { decodeIstanbulExtra } from "../../../protocol/block/istanbul-extra.ts";
import { authorOf, committersOf } from "../../../protocol/block/seal.ts";
import type { Address } from "../../../protocol/primitives/bytes.ts";
import { bytesToHex } from "../../../protocol/primitives/hex.ts";
import { ConsensusError } from "../errors.ts";

/** Name of the committed seals in errors. */
const SEALS = "extra.committedSeals";

/**
 * Verifies that a header was sealed by a qualified validator, not necessarily by the proposer of its round.
 * @returns the proposer
 * @throws ConsensusError `UNAUTHORIZED`; BlockError when the seal is not a signature
 */
export function verifyProposer(header: Header, validators: ValidatorSets): Address {
  const proposer = authorOf(header);
  const name = bytesToHex(proposer);
  if (validators.qualified(header.number).some((address) => bytesToHex(address) === name)) return proposer;
  throw new ConsensusError("UNAUTHORIZED", "unauthorized", { field: "extra.seal", proposer: name });
}

/**
 * Checks the committed seals: each by a different council member, and more than twice the number of tolerated faults.
 * @throws ConsensusError `COMMITTED_SEALS`
 */
export function verifyCommittedSeals(header: Header, validators: ValidatorSets): void {
  const { number, extra } = header;
  if (decodeIstanbulExtra(extra).committedSeals.length === 0) throw wrongSeals("zero committed seals");
  const remaining = new Set(validators.council(number).map(bytesToHex));
  const committers = recoverCommitters(header);
  for (const committer of committers) {
    if (!remaining.delete(bytesToHex(committer))) throw wrongSeals("invalid committed seals");
  }
  if (committers.length <= 2 * faultsOf(validators.committeeSize(number))) {
    throw wrongSeals("invalid committed seals");
  }
}

function recoverCommitters(header: Header): readonly Address[] {
  try {
    return committersOf(header);
  } catch (cause) {
    throw new ConsensusError("COMMITTED_SEALS", "invalid signature", { field: SEALS }, { cause });
  }
}

function wrongSeals(reason: string): ConsensusError {
  return new ConsensusError("COMMITTED_SEALS", reason, { field: SEALS });
}
