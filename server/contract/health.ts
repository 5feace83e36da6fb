import { z } from 'zod'
import { FIELDS, MEANS } from './fields.ts'

export const MODES = ['sandbox', 'live'] as const
export const Mode = z.enum(MODES)
/** A world: test money or real money. */
export const WORLDS = MODES
export type World = (typeof WORLDS)[number]
export type Mode = z.infer<typeof Mode>

export const HealthResponse = z.looseObject({
  ok: FIELDS.ok,
  ready: z.boolean().meta({ description: 'False while no requests should be sent to the service.' }),
  service: z.string().meta({ description: 'The name of the software.' }),
  version: z.string().meta(MEANS.version),
  mode: z.string().meta(MEANS.mode),
})
export type HealthResponse = z.infer<typeof HealthResponse>
