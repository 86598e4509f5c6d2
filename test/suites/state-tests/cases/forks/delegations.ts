import type { EthereumFork } from "../../../../../src/ledger/evm/tables/ethereum-rules.ts";
import { delegationCode } from "../../../../../src/protocol/account/delegation.ts";
import { type Address, bigintToFixedBytes } from "../../../../../src/protocol/primitives/bytes.ts";
import type { Authorization } from "../../../../../src/protocol/transaction/transaction.ts";
import type { AddressSource, CaseAccount, StateCase, Theme } from "../case.ts";
import { AUTHORITIES, AUTHORITY_KEYS, authorize, SENDER, SENDER_KEY } from "../keys.ts";
import { at, call, create, deploy, returnMemory, store, words } from "../program.ts";

const PRAGUE: readonly EthereumFork[] = ["Prague", "Osaka"];

const AROUND: readonly EthereumFork[] = ["Cancun", "Prague", "Osaka"];

const OTHER = 0xb0b;

const THIRD = 0xcab;

const [FIRST, SECOND, LAST] = AUTHORITIES as [Address, Address, Address];

const [FIRST_KEY, SECOND_KEY, LAST_KEY] = AUTHORITY_KEYS as [Uint8Array, Uint8Array, Uint8Array];

const CURVE_ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

const FEES = { maxFeePerGas: 10n, maxPriorityFeePerGas: 2n };

/** Code of delegates: stores caller, value and a counter. */
const LOGIC = "ADDRESS 0 SSTORE CALLER 1 SSTORE CALLVALUE 2 SSTORE CODESIZE 3 SSTORE 4 SLOAD 1 ADD 4 SSTORE";

/** A transaction with authorizations that calls TARGET, which calls the first authority and inspects it. */
function delegation(
  name: string,
  about: string,
  authorizations: readonly Authorization[],
  more: Partial<StateCase> & { readonly others?: readonly (readonly [AddressSource, CaseAccount])[] } = {},
): StateCase {
  const { others = [], ...rest } = more;
  return {
    name,
    about,
    forks: PRAGUE,
    code: `${store(0, call("CALL", FIRST, { gas: 150_000 }))} ${at(FIRST)} EXTCODESIZE 1 SSTORE ${at(FIRST)} EXTCODEHASH 2
      SSTORE 32 0 0 ${at(FIRST)} EXTCODECOPY 0 MLOAD 3 SSTORE`,
    accounts: new Map<AddressSource, CaseAccount>([[OTHER, { nonce: 1n, code: LOGIC }], ...others]),
    fees: FEES,
    authorizations,
    gas: [600_000],
    ...rest,
  };
}

const first = authorize(FIRST_KEY, OTHER);

const setCode: Theme = {
  directory: "Prague/eip7702_set_code_tx",
  cases: [
    delegation("newAuthority", "an account that was not there delegates", [first]),
    delegation("oldAuthority", "12,500 gas go back when the account was there", [first], {
      others: [[FIRST, { balance: 5n }]],
    }),
    delegation("wrongNonce", "an authorization of another nonce is passed over, the account stays warm", [
      authorize(FIRST_KEY, OTHER, { nonce: 1n }),
    ]),
    delegation(
      "laterNonce",
      "the nonce is that of the authority",
      [authorize(FIRST_KEY, OTHER, { nonce: 7n })],
      { others: [[FIRST, { nonce: 7n }]] },
    ),
    delegation(
      "lastNonce",
      "2^64 - 1 is no nonce",
      [authorize(FIRST_KEY, OTHER, { nonce: 2n ** 64n - 1n })],
      { others: [[FIRST, { nonce: 2n ** 64n - 1n }]] },
    ),
    delegation("anyChain", "chain 0 stands for all", [authorize(FIRST_KEY, OTHER, { chainId: 0n })]),
    delegation("wrongChain", "another chain's authorization is passed over", [
      authorize(FIRST_KEY, OTHER, { chainId: 2n }),
    ]),
    delegation("badParity", "a recovery bit above 1 is no signature", [
      { ...first, yParity: 2n },
      authorize(SECOND_KEY, OTHER),
    ]),
    delegation("highS", "an s in the upper half is none either", [
      { ...first, s: CURVE_ORDER - first.s, yParity: 1n - first.yParity },
    ]),
    delegation("zeroR", "nor is an r of zero", [{ ...first, r: 0n }]),
    delegation("authorityWithCode", "an account with code cannot delegate", [first], {
      others: [[FIRST, { nonce: 0n, code: "1 9 SSTORE" }]],
    }),
    delegation("replaced", "a delegation can be replaced", [authorize(FIRST_KEY, OTHER, { nonce: 3n })], {
      others: [
        [
          FIRST,
          { nonce: 3n, code: delegationCode(bigintToFixedBytes(BigInt(THIRD), 20)), storage: { 4: 9n } },
        ],
        [THIRD, { nonce: 1n, code: "1 9 SSTORE" }],
      ],
    }),
    delegation("cleared", "the zero address clears it", [authorize(FIRST_KEY, 0, { nonce: 3n })], {
      others: [
        [
          FIRST,
          { nonce: 3n, code: delegationCode(bigintToFixedBytes(BigInt(OTHER), 20)), storage: { 4: 9n } },
        ],
      ],
    }),
    delegation("clearedWhereNone", "clearing nothing raises the nonce", [authorize(FIRST_KEY, 0)], {
      others: [[FIRST, { balance: 1n }]],
    }),
    delegation("twiceTheSame", "the later of two with rising nonces counts", [
      authorize(FIRST_KEY, THIRD),
      authorize(FIRST_KEY, OTHER, { nonce: 1n }),
    ]),
    delegation("twiceOneNonce", "the second of two with one nonce is passed over", [
      authorize(FIRST_KEY, OTHER),
      authorize(FIRST_KEY, THIRD),
    ]),
    delegation(
      "chain",
      "a delegation to a delegating account is followed one step: the other's marker runs and fails",
      [authorize(FIRST_KEY, SECOND), authorize(SECOND_KEY, OTHER)],
    ),
    delegation("loop", "two accounts that delegate to each other", [
      authorize(FIRST_KEY, SECOND),
      authorize(SECOND_KEY, FIRST),
    ]),
    delegation("toItself", "an account that delegates to itself", [authorize(FIRST_KEY, FIRST)]),
    delegation("toPrecompile", "a delegation to a precompile runs no code", [authorize(FIRST_KEY, 2)]),
    delegation("toNothing", "nor does one to an account without code", [authorize(FIRST_KEY, 0x404)]),
    delegation(
      "bySender",
      "the sender authorizes itself with its next nonce",
      [authorize(SENDER_KEY, OTHER, { nonce: 1n })],
      { to: SENDER, value: [0n, 3n] },
    ),
    delegation("bySenderWrongNonce", "with its present nonce it does not", [authorize(SENDER_KEY, OTHER)], {
      to: SENDER,
    }),
    delegation("transactionToDelegated", "the transaction calls the authority itself", [first], {
      to: FIRST,
      value: [0n, 4n],
      edges: true,
    }),
    delegation("revertKeepsDelegation", "a transaction that reverts keeps delegations and nonces", [first], {
      to: FIRST,
      others: [[OTHER, { nonce: 1n, code: `1 0 SSTORE ${returnMemory(0, 0, "REVERT")}` }]],
    }),
    delegation(
      "outOfGasKeepsDelegation",
      "one that runs out of gas as well",
      [first, authorize(SECOND_KEY, OTHER)],
      { gas: [72_000, 71_000, 70_999] },
    ),
    delegation("intrinsicGas", "25,000 an authorization before anything runs", [first], {
      gas: [46_000, 45_999],
      data: ["", words(1)],
    }),
    delegation(
      "refundsOfMany",
      "refunds of three accounts, at most a fifth",
      [first, authorize(SECOND_KEY, OTHER), authorize(LAST_KEY, OTHER)],
      {
        to: LAST,
        others: [FIRST, SECOND, LAST].map((place) => [place, { balance: 1n }] as const),
      },
    ),
    delegation("noAuthorizations", "a list of none is refused", []),
    delegation("creates", "a transaction with authorizations that creates is refused", [first], {
      to: null,
      data: ["STOP"],
    }),
    delegation("beforePrague", "before Prague it is refused", [first], { forks: ["Cancun", "Prague"] }),
    delegation("floor", "the floor of the input counts against authorizations too", [first], {
      to: FIRST,
      data: [new Uint8Array(1500).fill(1)],
      gas: [200_000],
    }),
    {
      name: "callsOfDelegated",
      about:
        "every kind of call of an account that delegates: whose code, whose storage, cold and warm delegates",
      forks: PRAGUE,
      code: (["CALL", "CALLCODE", "DELEGATECALL", "STATICCALL"] as const)
        .map(
          (kind, i) =>
            `GAS ${call(kind, FIRST, { gas: 120_000 })} ${10 + i} SSTORE GAS SWAP1 SUB ${20 + i} SSTORE`,
        )
        .join(" "),
      accounts: new Map<AddressSource, CaseAccount>([
        [FIRST, { nonce: 1n, balance: 5n, code: delegationCode(bigintToFixedBytes(BigInt(OTHER), 20)) }],
        [OTHER, { nonce: 1n, code: LOGIC }],
      ]),
      gas: [900_000],
      edges: true,
    },
    {
      name: "markerBeforePrague",
      about: "before Prague the marker is code, whose first byte is no instruction",
      forks: AROUND,
      code: `${store(0, call("CALL", FIRST))} ${at(FIRST)} EXTCODESIZE 1 SSTORE`,
      accounts: new Map<AddressSource, CaseAccount>([
        [FIRST, { nonce: 1n, code: delegationCode(bigintToFixedBytes(BigInt(OTHER), 20)) }],
        [OTHER, { nonce: 1n, code: LOGIC }],
      ]),
    },
    {
      name: "delegatedSelfdestructs",
      about: "a delegate's SELFDESTRUCT gives the balance away and leaves the account",
      forks: PRAGUE,
      code: `${store(0, call("CALL", FIRST))} ${at(FIRST)} EXTCODESIZE 1 SSTORE`,
      accounts: new Map<AddressSource, CaseAccount>([
        [FIRST, { nonce: 1n, balance: 6n, code: delegationCode(bigintToFixedBytes(BigInt(OTHER), 20)) }],
        [OTHER, { nonce: 1n, code: `${THIRD} SELFDESTRUCT` }],
      ]),
    },
    {
      name: "delegatedCreates",
      about: "an account that delegates creates with its own nonce",
      forks: PRAGUE,
      code: `${store(0, call("CALL", FIRST, { gas: 200_000 }))}`,
      accounts: new Map<AddressSource, CaseAccount>([
        [FIRST, { nonce: 4n, balance: 6n, code: delegationCode(bigintToFixedBytes(BigInt(OTHER), 20)) }],
        [OTHER, { nonce: 1n, code: `${create(deploy("STOP"), 1)} 0 SSTORE` }],
      ]),
    },
    {
      name: "deployedMarker",
      about: "no creation can deploy a delegation marker",
      forks: PRAGUE,
      to: null,
      data: [deploy(delegationCode(bigintToFixedBytes(BigInt(OTHER), 20)))],
    },
  ],
};

/** Transactions that set code. */
export const DELEGATIONS: readonly Theme[] = [setCode];
