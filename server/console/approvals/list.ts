/** What waits for a second person, and what became of earlier proposals. */
import { listApprovals, type Proposal } from '../../operator/approvals/approvals.ts'
import { html, type Markup } from '../../pages/html.ts'
import { noticeOf } from '../form-parts.ts'
import { livePart, markOf } from '../live.ts'
import type { ConsolePage, OwnVisit } from '../page.ts'
import { addressWith, momentText, moreLink } from '../parts.ts'
import { type ConsoleKey, say } from '../words/say.ts'
import { type View, viewOf } from '../world.ts'

const PAGE = 25
const ENDS = ['granted', 'refused'] as const
/** The acts that have words of their own. */
const NAMED = [
  'payment confirm',
  'payment returned',
  'payment resolve',
  'payment refund',
  'payment capture',
  'payment void',
  'operation resolve',
  'account set',
  'account ask',
  'account retire',
  'callback set',
  'approval limit',
  'user add',
  'user set',
  'user reset',
  'user remove',
]

export function actText(locale: OwnVisit['locale'], what: string): string {
  return NAMED.includes(what) ? say(locale, `guarded_${what.replace(' ', '_')}` as ConsoleKey) : what
}

export const approvals: ConsolePage = {
  method: 'get',
  path: '/:world/approvals',
  needs: 'approval list',
  async handle(visit) {
    const { locale, query } = visit
    const view = await viewOf(visit)
    const { ctx, world, merchantId } = view
    const all = query.all === 'yes'
    const after = /^apr_[a-z0-9_]{1,60}$/.test(query.after ?? '') ? (query.after ?? null) : null
    const found = await listApprovals(ctx, { all, merchantId, after, limit: PAGE + 1 })
    const shown = found.slice(0, PAGE)
    const next = found.length > PAGE ? (shown.at(-1)?.id ?? null) : null
    const done = ENDS.find((each) => each === query.done)
    const title = say(locale, 'approvalsTitle')
    const path = `/${world}/approvals`
    // New proposals stand at the top of the first page.
    const isLive = !all && after === null
    const live = { mark: markOf(shown.map(({ id, state }) => [id, state])) }
    const parts = html`<div class="parts">
      <p class="lead">${say(locale, shown.length === 0 ? 'approvalsNone' : 'approvalsText')}</p>
      <ul class="rows">${shown.map((each) => row(visit, view, each))}</ul>
      ${moreLink(locale, next && addressWith(path, { all: all ? 'yes' : null, after: next }))}
    </div>`
    const body = html`<h1>${title}</h1>
      ${noticeOf(done ? say(locale, `approvalDone_${done}`) : null)}
      ${livePart(live, parts, { isWaiting: isLive })}
      <p><a href=${addressWith(path, { all: all ? null : 'yes' })}>${say(locale, all ? 'approvalsOpen' : 'approvalsAll')}</a></p>`
    return { kind: 'screen', title, body, ...(isLive && { live }) }
  },
}

function row(
  { locale }: OwnVisit,
  { world, timeZone }: View,
  { id, what, proposer, expiresAt, state }: Proposal,
): Markup {
  return html`<li>
    <a href=${`/${world}/approvals/${id}`} class="row">
      <strong>${actText(locale, what)}</strong>
      <span>${say(locale, `approval_${state}`)}</span>
      <span class="hint">${say(locale, 'proposedBy', { name: proposer })} · ${say(locale, 'approvalUntil', { at: momentText(expiresAt, locale, timeZone) ?? '' })}</span>
    </a>
  </li>`
}
