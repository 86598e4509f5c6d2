/**
 * Where things lie in the module's memory, in bytes. An **element** of the field holds four numbers modulo p, one in each lane of ten
 * vectors: a lane of vector k has the limbs 2k (low half) and 2k+1 of its number, 16-bit integers that count 2^(13·2k) and 2^(13·(2k+1)).
 * A **group** is four signatures, a signature a lane.
 */

/** Bits that a limb counts, and limbs of an element. */
export const LIMB_BITS = 13;
export const LIMBS = 20;
/** Vectors of an element, and its bytes. */
export const ELEMENT_VECTORS = LIMBS / 2;
export const ELEMENT = 16 * ELEMENT_VECTORS;
/** Bytes of a point: x, y; and of one with x, y, z. */
export const POINT = 2 * ELEMENT;
export const JACOBIAN = 3 * ELEMENT;

/** The second factor of a product, its limbs paired for columns of odd and of even number. */
export const SWAPPED = 0;
export const SHIFTED = SWAPPED + ELEMENT;
/** The 39 columns of a product, one vector each. */
export const COLUMNS = SHIFTED + ELEMENT + 16;
/** Lanes whose number was 0 have all bits set here, after `canonical`. */
export const ZERO_LANES = COLUMNS + 40 * 16;
/** Lanes of the points to gather that are to be negated. */
export const NEGATED_LANES = ZERO_LANES + 16;

/** Constants: 1, 7, β (a cube root of 1), and the base point. */
export const ONE = 1024;
export const SEVEN = ONE + ELEMENT;
export const BETA = SEVEN + ELEMENT;
export const BASE_POINT = BETA + ELEMENT;
/** Elements for intermediate results: of powers, of everything else. */
export const POWERS = BASE_POINT + POINT;
export const TEMPORARIES = POWERS + 8 * ELEMENT;
/** The running product, and the inverse of what is left of it. */
export const PRODUCT = TEMPORARIES + 12 * ELEMENT;
export const INVERSE = PRODUCT + ELEMENT;
/** Lists of sums, three offsets each. */
export const LISTS = 8192;

/** Windows of a half scalar, bits of each, and odd multiples kept of a signature's point. */
export const WINDOWS = 26;
export const WINDOW_BITS = 5;
export const MULTIPLES = 1 << (WINDOW_BITS - 1);
/** Windows of a scalar of the base point, and odd multiples kept of it for each. */
export const COMB_WINDOWS = 32;
export const COMB_MULTIPLES = 128;
/** Bytes of a point in the comb's table: of one lane alone. */
export const COMB_POINT = POINT / 4;

/** Table of the base point. */
export const COMB = 16_384;
/** Points that are summed for a known key, and what came before each factor of a running product: of a group half as many. */
const SUMMED = COMB_WINDOWS + 2 * WINDOWS;
export const PREFIXES = COMB + COMB_WINDOWS * COMB_MULTIPLES * COMB_POINT;

/** Parts of a group: lanes whose r is the x of a point, parities of y, addresses of known keys' tables, rows of scalars. */
export const IS_POINT = 0;
export const PARITY = 16;
export const KEY_TABLES = 32;
export const SCALARS = 48;
/** Bytes of a signature's row: its two half scalars and the one of the base point, biased; and where the second and third begin. */
export const SCALAR_ROW = 80;
export const HALF_SCALAR = 24;
/** Odd multiples of R: x, y, β·x; then R times 2, 4, 8, 16. */
export const TABLE = SCALARS + 4 * SCALAR_ROW;
export const TABLE_POINT = POINT + ELEMENT;
export const DOUBLES = TABLE + MULTIPLES * TABLE_POINT;
/** The windows' points: the base point's, and two a window of R, the first of which becomes their sum. */
export const COMB_POINTS = DOUBLES + (WINDOW_BITS - 1) * POINT;
export const WINDOW_POINTS = COMB_POINTS + COMB_WINDOWS * POINT;
/** The result, with the lanes behind it whose z is 0, and those whose point lies on the curve. */
export const RESULT = WINDOW_POINTS + 2 * WINDOWS * POINT;
export const INFINITE = 3 * ELEMENT;
export const ON_CURVE = INFINITE + 16;
export const GROUP = RESULT + JACOBIAN + 32;

/** Groups that are worked on together. */
export const MAX_GROUPS = 64;
export const GROUPS = PREFIXES + MAX_GROUPS * (SUMMED / 2) * ELEMENT;
/** Size of the memory without tables of known keys. */
export const PAGES = Math.ceil((GROUPS + MAX_GROUPS * GROUP) / 65_536);

/** Table of a known key, and where the first begins, once the memory has grown. */
export const KEY_TABLE = WINDOWS * MULTIPLES * COMB_POINT;
export const KEY_TABLES_START = PAGES * 65_536;
