import { isAddress, toKei } from "../kernel/read.ts";
import { Field } from "./form.tsx";

interface KindProps {
  readonly label: string;
  readonly value: string;
  readonly onInput: (value: string) => void;
  readonly hint?: string;
}

/** A field for an address; an empty one is not reported as invalid. */
export function AddressField(props: KindProps) {
  const isFine = props.value === "" || isAddress(props.value);
  return <Field {...props} problem={isFine ? undefined : "An address is 0x and 40 hex digits."} />;
}

/** A field for an amount of KAIA, parsed by `toKei`. */
export function AmountField(props: KindProps) {
  const isFine = toKei(props.value) !== undefined;
  return (
    <Field
      {...props}
      problem={isFine ? undefined : "An amount such as 12.5, with at most 18 digits after the point."}
    />
  );
}
