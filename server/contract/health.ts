import { z } from 'zod'

export const MODES = ['sandbox', 'live'] as const
export const Mode = z.enum(MODES)
/** A world: test money or real money. */
export const WORLDS = MODES
export type World = (typeof WORLDS)[number]
export type Mode = z.infer<typeof Mode>

export const HealthResponse = z.looseObject({
  ok: z.literal(true),
  ready: z.boolean(),
  service: z.string(),
  version: z.string(),
  mode: z.string(),
})
export type HealthResponse = z.infer<typeof HealthResponse>
