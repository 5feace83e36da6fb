/** The settings of the deployment, for the people of all shops. Whoever belongs to one shop is led to its settings. */
import { html } from '../../pages/html.ts'
import type { ConsolePage } from '../page.ts'
import type { FactLine } from '../parts.ts'
import { type ConsoleKey, say } from '../words/say.ts'
import type { Scene } from './act.ts'
import { noticeAfter } from './done.ts'
import { groupOf } from './links.ts'
import { BASES, sceneOf } from './scene.ts'

type Row = { title: ConsoleKey; facts(scene: Scene): Promise<readonly FactLine[]> }

const GROUPS: readonly Row[] = [{ title: 'setShops', facts: async () => [] }]

export const deploymentSettings: ConsolePage = {
  method: 'get',
  path: BASES.deployment,
  needs: 'setting list',
  async handle(visit) {
    const { locale, user } = visit
    const scene = await sceneOf('deployment', visit)
    if (user.merchantId !== null)
      return { kind: 'redirect', to: `/${scene.ctx.world}/shops/${user.merchantId}/settings` }
    const groups = await Promise.all(
      GROUPS.map(async ({ title, facts }) => ({ title, facts: await facts(scene) })),
    )
    const title = say(locale, 'settingsTitle')
    const body = html`<h1>${title}</h1>
      ${noticeAfter(visit)}
      ${groups.map((group) => groupOf(visit, 'deployment', scene.path, group))}`
    return { kind: 'screen', title, body }
  },
}
