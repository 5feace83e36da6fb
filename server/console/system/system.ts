/** The page of the service's health: the findings of `service doctor`, each with a link to where it can be mended. */
import { may } from '../../acts/policy.ts'
import { countDesk } from '../../operator/desk/desk.ts'
import { examineMachine, examinePasskeys, examineSignIns, examineWorld } from '../../operator/examination.ts'
import { html, type Markup } from '../../pages/html.ts'
import type { Locale } from '../../pages/words/locale.ts'
import { listMerchantNames } from '../../storage/merchants/merchants.ts'
import { listLivingProcesses } from '../../storage/processes.ts'
import { measureRoom } from '../../storage/server-facts.ts'
import { VERSION } from '../../version.ts'
import { listWorlds } from '../../worlds.ts'
import type { ConsolePage, OwnVisit } from '../page.ts'
import { wideScreen } from '../page-parts.ts'
import { factList } from '../parts.ts'
import { translate } from '../words/translate.ts'
import { type View, viewOf } from '../world.ts'
import type { SystemFinding } from './finding.ts'
import { judgeMachine, judgePasskeys, judgeSignIns } from './judged-deployment.ts'
import { judgeShop, judgeWorld } from './judged-world.ts'

export const system: ConsolePage = {
  method: 'get',
  path: '/:world/system',
  needs: 'service doctor',
  async handle(visit) {
    const { locale } = visit
    const view = await viewOf(visit)
    const findings = await listFindings(visit, view)
    const bad = findings.filter(({ state }) => state === 'bad')
    const open = findings.filter(({ state }) => state === 'open')
    const good = findings.filter(({ state }) => state === 'good')
    const verdict =
      bad.length > 0
        ? translate(locale, 'systemBad', { count: String(bad.length) })
        : translate(locale, open.length > 0 ? 'systemOpen' : 'systemWell')
    const title = translate(locale, 'systemTitle')
    const body = html`<p class="sentence">${verdict}</p>
      ${sectionOf(locale, 'systemNow', bad)} ${sectionOf(locale, 'systemWaits', open)} ${sectionOf(locale, 'systemGood', good)}
      ${view.merchantId === null ? html`<h2>${translate(locale, 'systemFacts')}</h2>${await factsOf(visit, view)}` : null}`
    return wideScreen({ title, body })
  },
}

/** Returns the findings about the whole deployment and about the world of the page; to a shop's own people, only those about the shop. */
async function listFindings(
  visit: OwnVisit,
  { ctx, world, merchantId: own }: View,
): Promise<SystemFinding[]> {
  const { worlds, locale, origin, user } = visit
  const [machine, blockers, examined, cases] = await Promise.all([
    examineMachine(worlds),
    ctx.readinessBlockers(),
    examineWorld(ctx),
    countDesk(ctx, own),
  ])
  const pausedIds = examined.receivers.map(({ merchantId }) => merchantId)
  const names = await listMerchantNames(ctx.db, pausedIds)
  const nameOf = (id: string) => names.get(id) ?? id
  if (own !== null) return judgeShop(locale, own, { examined, cases, nameOf })
  const people = may(user, 'user reset') ? `/${world}/users` : undefined
  return [
    ...judgeMachine(locale, machine, blockers),
    ...judgePasskeys(locale, await examinePasskeys(worlds, origin), people),
    ...judgeSignIns(locale, await examineSignIns(worlds)),
    ...judgeWorld(locale, { examined, cases, nameOf }),
  ]
}

function sectionOf(
  locale: Locale,
  title: 'systemNow' | 'systemWaits' | 'systemGood',
  findings: readonly SystemFinding[],
): Markup {
  if (findings.length === 0) return null
  const inside = (each: SystemFinding) => html`<strong>${each.about}</strong>
    <span class="hint">${each.text}</span>
    ${each.todo ? html`<span class="hint">${each.todo}</span>` : null}`
  return html`<h2>${translate(locale, title)}</h2>
    <ul class="rows">
      ${findings.map((each) => html`<li>${each.href ? html`<a href=${each.href} class="row" data-state=${each.state}>${inside(each)}</a>` : html`<div class="row" data-state=${each.state}>${inside(each)}</div>`}</li>`)}
    </ul>`
}

async function factsOf({ worlds, locale }: OwnVisit, { ctx }: View): Promise<Markup> {
  const [room, processes] = await Promise.all([measureRoom(ctx.db), listLivingProcesses(ctx.db, '')])
  return factList([
    [translate(locale, 'version'), VERSION],
    [
      translate(locale, 'worldsServed'),
      listWorlds(worlds)
        .map(({ world }) => translate(locale, `world_${world}`))
        .join(', '),
    ],
    [translate(locale, 'processes'), processes.map(({ name }) => name).join(', ')],
    [translate(locale, 'connectionsOwn'), String(room.own)],
    [translate(locale, 'connectionsFree'), String(room.free)],
  ])
}
