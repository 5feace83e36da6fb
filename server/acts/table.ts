/** The table of acts. */
import type { AnyRow } from './act.ts'
import { TOKEN_ACTS } from './tokens.ts'

export const ACT_ROWS: readonly AnyRow[] = [...TOKEN_ACTS]
