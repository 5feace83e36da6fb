/** The overlap: how long a replaced token or callback secret still works beside its successor. */
import type { Context } from '../context.ts'

export const OVERLAPS = ['0', '1h', '24h', '7d'] as const
export type Overlap = (typeof OVERLAPS)[number]
export const OVERLAP_DEFAULT: Overlap = '24h'

const HOUR_MS = 3_600_000
const LENGTH_MS: Record<Overlap, number> = { '0': 0, '1h': HOUR_MS, '24h': 24 * HOUR_MS, '7d': 168 * HOUR_MS }

/** Returns when an overlap ends that begins now. */
export function overlapEnd(ctx: Context, overlap: Overlap): Date {
  return new Date(ctx.clock.now().getTime() + LENGTH_MS[overlap])
}
