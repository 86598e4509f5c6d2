import type { Json } from "../../protocol/codec/json/value.ts";
import { visibleLine } from "../../protocol/primitives/visible.ts";
import type { SendRequest } from "../client/client.ts";
import type { WalletDescription } from "../rpc/spec/accounts/personal.ts";

/** How long a device may take without needing its user. */
const PATIENCE_MS = 1000;
const DEVICE = /^(ledger|trezor):\/\//;

/** What device help uses of the console. */
export interface DeviceHelp {
  readonly request: SendRequest;
  print(text: string): unknown;
}

/**
 * Calls the node. Where a hardware wallet is involved, prints what to do on the device: when the response takes long,
 * and when an opened wallet is not usable yet.
 */
export async function callWithDeviceHelp(
  method: string,
  params: readonly Json[],
  { request, print }: DeviceHelp,
): Promise<unknown> {
  const names = namesIn(params);
  const devices = async (): Promise<readonly WalletDescription[]> =>
    (await wallets(request)).filter((wallet) => DEVICE.test(wallet.url) && isNamed(wallet, names));
  const waiting = setTimeout(async () => {
    for (const { url } of await devices())
      print(`Look at the device ${visibleLine(url)}: it waits for you.\n`);
  }, PATIENCE_MS);
  try {
    const result = await request(method, params as Json[]);
    if (method === "personal_openWallet")
      for (const { status, failure } of await devices()) print(`${visibleLine(String(failure ?? status))}\n`);
    return result;
  } finally {
    clearTimeout(waiting);
  }
}

/** Every text in the arguments and in their members: addresses and URLs are among them. */
function namesIn(params: readonly Json[]): ReadonlySet<string> {
  const members = params.flatMap((value) =>
    typeof value === "object" && value !== null ? Object.values(value) : [value],
  );
  return new Set(members.filter((value) => typeof value === "string").map((text) => text.toLowerCase()));
}

function isNamed({ url, accounts = [] }: WalletDescription, names: ReadonlySet<string>): boolean {
  return names.has(url.toLowerCase()) || accounts.some(({ address }) => names.has(address.toLowerCase()));
}

/** None where the node does not serve them. The type is what the declaration of the method says. */
async function wallets(request: SendRequest): Promise<readonly WalletDescription[]> {
  try {
    return (await request("personal_listWallets", [])) as unknown as readonly WalletDescription[];
  } catch {
    return [];
  }
}
