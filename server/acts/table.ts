/** The table of acts. */
import type { AnyRow } from './act.ts'
import { CALLBACK_ACTS } from './callbacks.ts'
import { INSTALLATION_ACTS } from './installations.ts'
import { MERCHANT_ACTS } from './merchants.ts'
import { ORIGIN_ACTS } from './origins.ts'
import { TOKEN_ACTS } from './tokens.ts'

export const ACT_ROWS: readonly AnyRow[] = [
  ...MERCHANT_ACTS,
  ...TOKEN_ACTS,
  ...CALLBACK_ACTS,
  ...ORIGIN_ACTS,
  ...INSTALLATION_ACTS,
]
