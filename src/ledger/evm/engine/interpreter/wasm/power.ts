// Powers of words modulo a word, with windows of four bits. The exponent comes in pieces, so that the host can check its deadline
// between them.
import { mulmod, udivmod } from "./division";
import { set64 } from "./word";
import { POWER_BASE, POWER_COUNT, POWER_EXPONENT, POWER_MODULUS, POWER_RESULT, POWERS } from "../../layout";

/** Begins with the base at POWER_BASE and the modulus at POWER_MODULUS, which is not zero: 1 modulo the modulus to POWER_RESULT. */
export function beginPower(): void {
  set64(POWER_RESULT, 1);
  udivmod(0, POWER_RESULT, POWER_RESULT, POWER_MODULUS);
  udivmod(0, POWER_BASE, POWER_BASE, POWER_MODULUS);
  store<u32>(POWER_COUNT, 0);
}

/** Continues with the next `size` bytes of the exponent, at POWER_EXPONENT. */
export function continuePower(size: i32): void {
  for (let i: i32 = 0; i < size; i++) {
    const byte = load<u8>(POWER_EXPONENT + i);
    raise(byte >> 4);
    raise(byte & 15);
  }
}

/** Raises the result to the 16th power and multiplies it by the power `digit` of the base. Leading zeros cost nothing. */
function raise(digit: u32): void {
  let count = load<u32>(POWER_COUNT);
  if (!count) {
    if (!digit) return;
    count = 2;
  } else for (let i = 0; i < 4; i++) mulmod(POWER_RESULT, POWER_RESULT, POWER_RESULT, POWER_MODULUS);
  for (; count <= digit; count++) mulmod(POWERS + (<usize>count << 5), POWERS + (<usize>(count - 1) << 5), POWER_BASE, POWER_MODULUS);
  store<u32>(POWER_COUNT, count);
  if (digit) mulmod(POWER_RESULT, POWER_RESULT, POWERS + (<usize>digit << 5), POWER_MODULUS);
}
