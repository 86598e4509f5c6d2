import { COINBASE, type Theme } from "../case.ts";
import { repeat, words } from "../program.ts";

const OTHER = 0xb0b;

/** The coinbase with its price from Shanghai on, PUSH0, init code. */
export const SHANGHAI: readonly Theme[] = [
  {
    directory: "Shanghai/stEIP3651-warmcoinbase",
    cases: [
      {
        name: "readings",
        about: "the coinbase is warm from Shanghai on, however it is reached",
        forks: ["London", "Paris", "Shanghai", "Cancun", "Osaka"],
        code: repeat(
          6,
          (i) =>
            `GAS
              ${
                [
                  `${COINBASE} BALANCE`,
                  "COINBASE BALANCE",
                  "COINBASE EXTCODESIZE",
                  "COINBASE EXTCODEHASH",
                  `0 0 0 0 0 ${COINBASE} 0 CALL`,
                  `0 0 0 0 ${COINBASE} 0 STATICCALL`,
                ][i]
              }
              POP GAS SWAP1 SUB ${i} SSTORE`,
        ),
      },
      {
        name: "afterRevert",
        about: "it stays warm when a frame that used it is reverted",
        forks: ["Paris", "Shanghai", "Osaka"],
        code: `0 0 0 0 0 ${OTHER} 50000 CALL POP GAS COINBASE BALANCE POP GAS SWAP1 SUB 0 SSTORE`,
        accounts: { [OTHER]: { code: "COINBASE BALANCE POP 0 0 REVERT" } },
      },
    ],
  },
  {
    directory: "Shanghai/stEIP3855-push0",
    cases: [
      {
        name: "push0",
        about: "0x5f pushes zero for 2 gas from Shanghai on",
        forks: ["Paris", "Shanghai", "Cancun", "Osaka"],
        code: "GAS PUSH0 POP GAS SWAP1 SUB 1 SSTORE PUSH0 1 ADD PUSH0 SSTORE",
        edges: true,
      },
      {
        name: "jumpOverPush0",
        about: "it has no data: the byte behind may be a destination",
        forks: ["Paris", "Shanghai", "Osaka"],
        code: Uint8Array.of(0x60, 0x04, 0x56, 0x5f, 0x5b, 0x60, 0x01, 0x60, 0x00, 0x55),
      },
      {
        name: "stackOfZeros",
        about: "1,024 of them fit on the stack",
        forks: ["Paris", "Shanghai", "Osaka"],
        to: null,
        data: [1023, 1024, 1025].map((count) => new Uint8Array(count).fill(0x5f)),
        gas: [200_000],
      },
    ],
  },
  {
    directory: "Shanghai/stEIP3860-limitmeterinitcode",
    cases: [
      {
        name: "wordsOfInitCode",
        about: "2 gas a word for CREATE and CREATE2",
        forks: ["Paris", "Shanghai", "Cancun", "Osaka"],
        code: "GAS 0 CALLDATALOAD 0 0 CREATE POP GAS SWAP1 SUB 0 SSTORE GAS 1 0 CALLDATALOAD 0 0 CREATE2 POP GAS SWAP1 SUB 1 SSTORE",
        data: [0, 1, 32, 33, 49_152].map((size) => words(size)),
        gas: [300_000],
      },
      {
        name: "outOfGasBeforeTooLarge",
        about: "a creation with init code too large fails as a whole and touches no nonce",
        forks: ["Paris", "Shanghai", "Osaka"],
        code: `0 0 0 0 0 ${OTHER} 100000 CALL 0 SSTORE`,
        accounts: { [OTHER]: { nonce: 7n, code: "49153 0 0 CREATE 0 SSTORE" } },
        gas: [300_000],
      },
    ],
  },
];
