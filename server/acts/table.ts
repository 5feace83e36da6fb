/** The table of acts. */

import { ACCOUNT_ACTS } from './accounts.ts'
import type { AnyRow } from './act.ts'
import { CALLBACK_ACTS } from './callbacks.ts'
import { DECISION_ACTS } from './decisions.ts'
import { INSTALLATION_ACTS } from './installations.ts'
import { MERCHANT_ACTS } from './merchants.ts'
import { ORIGIN_ACTS } from './origins.ts'
import { PAYMENT_ACTS } from './payments.ts'
import { SAVED_METHOD_ACTS } from './saved-methods.ts'
import { TOKEN_ACTS } from './tokens.ts'

export const ACT_ROWS: readonly AnyRow[] = [
  ...MERCHANT_ACTS,
  ...PAYMENT_ACTS,
  ...DECISION_ACTS,
  ...SAVED_METHOD_ACTS,
  ...ACCOUNT_ACTS,
  ...TOKEN_ACTS,
  ...CALLBACK_ACTS,
  ...ORIGIN_ACTS,
  ...INSTALLATION_ACTS,
]
