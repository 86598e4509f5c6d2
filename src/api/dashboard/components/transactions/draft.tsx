import type { DraftReport } from "../../../rpc/spec/dashboard/desk-wire.ts";
import type { SignerReport } from "../../../rpc/spec/dashboard/wire.ts";
import { gkei, grouped, kaia, words } from "../../kernel/format.ts";
import { KeyTree } from "../keys/key-tree.tsx";
import { Facts } from "../panel.tsx";
import { Address, Foreign, Hash, Tag, YesNo } from "../text.tsx";

/** What an unsent transaction would do, and what it lacks. */
export function DraftFacts({ draft }: { readonly draft: DraftReport }) {
  const { nonce, nextNonce } = draft;
  return (
    <>
      <Facts entries={draftFacts(draft)} />
      {nonce < nextNonce && (
        <p class="warning">
          Nonce {nonce} has been used: the chain takes {nextNonce} next. This can never be mined.
        </p>
      )}
      {nonce > nextNonce && (
        <p class="warning">
          The chain takes nonce {nextNonce} next: this will wait in the pool until the transactions before it
          arrive.
        </p>
      )}
      <Weights title="Sender" report={draft.sender} />
      {draft.feePayer && <Weights title="Fee payer" report={draft.feePayer} />}
      {draft.newKey !== null && <KeyTree value={draft.newKey} />}
    </>
  );
}

/** The fields of a transaction, for its confirmation. */
export function draftFacts(draft: DraftReport) {
  const { type, from, to, value, nonce, gas, gasPrice, feeRatio, call, input, feePayer, hash } = draft;
  return [
    ["Type", words(type)],
    ["From", <Address key="from" value={from} isWhole />],
    ["To", to !== null && <Address value={to} isWhole />],
    ["Value", kaia(BigInt(value))],
    ["Calls", call !== null && <Foreign text={call} />],
    ["Input", call === null && input !== "0x" && <Foreign text={input} maxLength={400} />],
    ["Nonce", grouped(nonce)],
    [
      "Maximum fee",
      `${kaia(BigInt(gas) * BigInt(gasPrice))} (${grouped(BigInt(gas))} gas at ${gkei(BigInt(gasPrice))})`,
    ],
    [
      "Fee payer",
      feePayer && (
        <span>
          <Address value={feePayer.address} isWhole />{" "}
          {feeRatio !== null && feeRatio < 100 && <Tag tone="info">{feeRatio} %</Tag>}
        </span>
      ),
    ],
    ["Hash", <Hash key="hash" value={hash} />],
  ] as const;
}

/** How much of the required weight has signed. */
function Weights({ title, report }: { readonly title: string; readonly report: SignerReport }) {
  const { signatures, threshold, weight, valid, keyType, role } = report;
  const [needed, has] = threshold === null ? [1, signatures.length] : [threshold, weight ?? 0];
  return (
    <div class="weights">
      <p>
        <strong>{title}</strong>{" "}
        <span class="muted">
          ({words(keyType).toLowerCase()} key, role {role})
        </span>{" "}
        <YesNo ok={valid === true} yes="enough" no={`${has} of ${needed}`} />
      </p>
      <progress max={needed} value={Math.min(has, needed)} aria-label={`${title}: weight that has signed`} />
      <ul class="bare">
        {signatures.map(({ address, publicKey, weight, belongs, problem, r }) => (
          <li key={r}>
            {address === null ? (
              <Tag tone="bad">✕ {problem ?? "no signature"}</Tag>
            ) : (
              <Address value={address} />
            )}{" "}
            {publicKey !== null && weight !== null && <Tag>weight {weight}</Tag>}{" "}
            {!belongs && <Tag tone="bad">✕ not of this key</Tag>}
          </li>
        ))}
      </ul>
    </div>
  );
}
