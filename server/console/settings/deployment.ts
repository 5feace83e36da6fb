/** The settings of the deployment, for the people of all shops. People of one shop are redirected to its settings. */

import { may } from '../../acts/policy.ts'
import { html } from '../../pages/html.ts'
import { amountsText } from '../../payments/money.ts'
import { readRestore } from '../../payments/restored/report.ts'
import { listLimits } from '../../storage/audit/proposals.ts'
import { measureMails } from '../../storage/mails/mails.ts'
import type { Scene } from '../acts/act.ts'
import { BASES, sceneOf } from '../acts/scene.ts'
import type { ConsolePage } from '../page.ts'
import { wideScreen } from '../page-parts.ts'
import { type FactLine, momentText } from '../parts.ts'
import { type ConsoleKey, translate, translateAny } from '../words/translate.ts'
import { noticeAfter } from './done.ts'
import { groupOf } from './links.ts'
import { LISTS } from './lists.ts'

type Row = { title: ConsoleKey; facts(scene: Scene): Promise<readonly FactLine[]> }

const GROUPS: readonly Row[] = [
  { title: 'setShops', facts: async () => [] },
  {
    title: 'setLimits',
    facts: async ({ ctx }) =>
      (await listLimits(ctx.db)).map(
        ({ currency, limitMinor }) => [currency, amountsText({ [currency]: limitMinor })] as const,
      ),
  },
  { title: 'setBuyers', facts: async () => [] },
  {
    title: 'setMails',
    async facts({ visit: { locale }, ctx }) {
      const { waiting, failed } = await measureMails(ctx.db)
      return [
        [translate(locale, 'setMailsWaiting'), String(waiting)],
        [translate(locale, 'setMailsFailed'), String(failed)],
      ]
    },
  },
  {
    title: 'setRestore',
    async facts({ visit: { locale }, ctx, timeZone }) {
      const view = await readRestore(ctx, RESTORE_MAX)
      if (!view) return []
      const { restore, progress, changed, unasked } = view
      return [
        [translate(locale, 'since'), momentText(restore.restoredAt, locale, timeZone)],
        [
          translate(locale, 'setState'),
          translate(locale, restore.endedAt ? 'setRestoreEnded' : 'setRestoreOpen'),
        ],
        [translate(locale, 'setRestoreAsk'), String(progress.waiting)],
        [translate(locale, 'setRestoreChanged'), changed.map(({ id }) => id).join(', ')],
        [translate(locale, 'setRestoreUnasked'), unasked.map(({ id }) => id).join(', ')],
      ]
    },
  },
  {
    title: 'setClock',
    facts: async ({ visit: { locale }, ctx, timeZone }) => [
      [translate(locale, 'setClock'), momentText(ctx.clock.now(), locale, timeZone)],
    ],
  },
]

/** How many things that a backup did not know a page names. */
const RESTORE_MAX = 100

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
    const title = translate(locale, 'settingsTitle')
    const body = html`${noticeAfter(visit)}
      <ul class="rows places">
        ${LISTS.filter(({ list }) => may(user, list.needs)).map(({ end, title: name }) => html`<li><a class="row" href=${`/${scene.ctx.world}/${end}`}><strong>${translateAny(locale, name)}</strong></a></li>`)}
      </ul>
      ${groups.map((group) => groupOf(visit, 'deployment', scene.path, group))}`
    return wideScreen({ title, body })
  },
}
