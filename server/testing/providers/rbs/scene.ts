/** Scenes of the RBS driver against the simulated gateway, for its own tests. */
import { rbsDriver } from '../../../providers/rbs/driver.ts'
import type { RbsSettings } from '../../../providers/rbs/settings.ts'
import { startScenes } from '../driver-scenes.ts'
import type { Shop } from './bank.ts'
import { startRbsBench } from './bench.ts'

export type RbsScene = Awaited<ReturnType<typeof setRbsScene>>

/** `changes`: of the settings, besides those of the bench. */
export async function setRbsScene(shop: Partial<Shop> = {}, changes: Partial<RbsSettings> = {}) {
  const bench = await startRbsBench(shop)
  const settings: typeof bench.settings = (origin, variant) => ({
    ...bench.settings(origin, variant),
    ...changes,
  })
  const scenes = await startScenes({ driver: rbsDriver, start: async () => ({ ...bench, settings }) })
  const { server } = bench
  return {
    ...scenes,
    server,
    bank: server.bank,
    /** The fields of the last request of this method. */
    sent(method: string): Record<string, string> {
      const form = server.requests.findLast((each) => each.method === method)?.form
      if (!form) throw new Error(`${method} was never asked for`)
      return Object.fromEntries(form)
    },
    count: (method: string) => server.requests.filter((each) => each.method === method).length,
  }
}
