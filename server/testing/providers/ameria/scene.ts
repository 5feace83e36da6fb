/** Scenes of the Ameriabank driver against the simulated vPOS, for its own tests. */
import { ameriaDriver } from '../../../providers/ameria/driver.ts'
import type { AmeriaSettings } from '../../../providers/ameria/settings.ts'
import { startScenes } from '../driver-scenes.ts'
import type { Shop } from './bank.ts'
import { startAmeriaBench } from './bench.ts'

export type AmeriaScene = Awaited<ReturnType<typeof setAmeriaScene>>

/** `changes`: of the settings, besides those of the bench. */
export async function setAmeriaScene(shop: Partial<Shop> = {}, changes: Partial<AmeriaSettings> = {}) {
  const bench = await startAmeriaBench(shop)
  const settings: typeof bench.settings = (origin, variant) => ({
    ...bench.settings(origin, variant),
    ...changes,
  })
  const scenes = await startScenes({ driver: ameriaDriver, start: async () => ({ ...bench, settings }) })
  const { vpos } = bench
  return {
    ...scenes,
    vpos,
    bank: vpos.bank,
    /** The fields of the last request of this operation. */
    sent(operation: string): Record<string, unknown> {
      const body = vpos.requests.findLast((each) => each.operation === operation)?.body
      if (!body) throw new Error(`${operation} was never asked for`)
      return body
    },
    count: (operation: string) => vpos.requests.filter((each) => each.operation === operation).length,
  }
}
