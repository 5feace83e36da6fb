/** What waits for a second person, and what became of earlier proposals. */
import { CURRENCY_CODES } from '../../contract/fields.ts'
import { shortNumber } from '../../id.ts'
import { getApproval } from '../../operator/approvals/approval.ts'
import { listApprovals, type Proposal } from '../../operator/approvals/listing.ts'
import { actText } from '../../pages/approvals/messages.ts'
import { html, type Markup } from '../../pages/html.ts'
import { capitalized, type Locale } from '../../pages/words/locale.ts'
import { listMerchantNames } from '../../storage/merchants/merchants.ts'
import type { ConsolePage, OwnVisit } from '../page.ts'
import { wideScreen } from '../page-parts.ts'
import { addressWith, momentText, moreLink, sumText } from '../parts.ts'
import { markOf, refreshingPart } from '../refresh.ts'
import { translate } from '../words/translate.ts'
import { type View, viewOf } from '../world.ts'

const PAGE = 25
const APPROVAL_ID = /^apr_[a-z0-9_]{1,60}$/
const ENDS = ['granted', 'refused'] as const
export const approvals: ConsolePage = {
  method: 'get',
  path: '/:world/approvals',
  needs: 'approval list',
  async handle(visit) {
    const { locale, query } = visit
    const view = await viewOf(visit)
    const { ctx, world, merchantId } = view
    const all = query.all === 'yes'
    const after = APPROVAL_ID.exec(query.after ?? '')?.[0] ?? null
    const found = await listApprovals(ctx, { all, merchantId, after, limit: PAGE + 1 })
    const shown = found.slice(0, PAGE)
    const shops = await listMerchantNames(
      ctx.db,
      shown.map((each) => each.merchantId),
    )
    const next = found.length > PAGE ? (shown.at(-1)?.id ?? null) : null
    const decided = await decidedText(visit, view)
    const title = translate(locale, 'approvalsTitle')
    const path = `/${world}/approvals`
    // New proposals stand at the top of the first page.
    const isLive = !all && after === null
    const refreshing = { mark: markOf(shown.map(({ id, state }) => [id, state])) }
    const parts = html`<div class="parts">
      <p class="lead">${translate(locale, shown.length === 0 ? 'approvalsNone' : 'approvalsText')}</p>
      <ul class="rows">${shown.map((each) => row(visit, view, { proposal: each, shops }))}</ul>
      ${moreLink(locale, next && addressWith(path, { all: all ? 'yes' : null, after: next }))}
    </div>`
    const body = html`${refreshingPart(refreshing, parts, { isWaiting: isLive })}
      <p><a href=${addressWith(path, { all: all ? null : 'yes' })}>${translate(locale, all ? 'approvalsOpen' : 'approvalsAll')}</a></p>`
    return wideScreen({ title, body, notice: decided, ...(isLive && { refreshing }) })
  },
}

/** Says what was done, or what was not. The proposal has left the list. */
async function decidedText({ locale, query }: OwnVisit, { ctx, merchantId }: View): Promise<string | null> {
  const done = ENDS.find((each) => each === query.done)
  if (!done) return null
  const text = translate(locale, `approvalDone_${done}`)
  const id = APPROVAL_ID.exec(query.approval ?? '')?.[0]
  const found = id === undefined ? null : await getApproval(ctx, id, merchantId)
  if (!found) return text
  const { proposal, merchantName } = found
  const about = [proposalSum(locale, proposal), ...proposalFacts(locale, proposal, merchantName)]
  return `${text} ${[actText(locale, proposal.what), ...about].filter(Boolean).join(' · ')}`
}

export function proposalSum(locale: Locale, { amountMinor, currency }: Proposal): string | null {
  const code = CURRENCY_CODES.find((each) => each === currency) ?? null
  return sumText(amountMinor, code, locale)
}

/** The shop, the payment and who has proposed it, as far as the proposal has them. */
export function proposalFacts(locale: Locale, { proposer, about }: Proposal, shop: string | null): string[] {
  const [paymentId] = /^pay_\w+/.exec(about) ?? []
  const facts = [
    shop,
    paymentId && shortNumber(paymentId),
    translate(locale, 'proposedBy', { name: proposer }),
  ]
  return facts.filter((each): each is string => Boolean(each))
}

type Listed = { proposal: Proposal; shops: ReadonlyMap<string, string> }

function row({ locale }: OwnVisit, { world, timeZone }: View, { proposal, shops }: Listed): Markup {
  const { id, what, expiresAt, state, merchantId } = proposal
  const shop = merchantId && (shops.get(merchantId) ?? merchantId)
  const until = translate(locale, 'approvalUntil', { at: momentText(expiresAt, locale, timeZone) ?? '' })
  const sum = proposalSum(locale, proposal)
  const details = [...(sum ? [sum] : []), ...proposalFacts(locale, proposal, shop), until]
  return html`<li>
    <a href=${`/${world}/approvals/${id}`} class="row">
      <strong>${capitalized(actText(locale, what), locale)}</strong>
      <span>${translate(locale, proposal.hasSecret ? 'approvalHasSecret' : `approval_${state}`)}</span>
      <span class="hint">${details.join(' · ')}</span>
    </a>
  </li>`
}
