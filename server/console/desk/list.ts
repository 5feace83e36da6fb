/** The desk: what waits for a person, the oldest day first. */

import { shortNumber } from '../../id.ts'
import { findNamed, type Proposal } from '../../operator/approvals/listing.ts'
import { CASE_KINDS, type Case, COUNTED_MAX, countDesk, listDesk } from '../../operator/desk/desk.ts'
import { actText } from '../../pages/approvals/messages.ts'
import { html, type Markup } from '../../pages/html.ts'
import { capitalized, type Locale } from '../../pages/words/locale.ts'
import { proposalFacts, proposalSum } from '../approvals/list.ts'
import type { ConsolePage, OwnVisit } from '../page.ts'
import { choiceTags, wideScreen } from '../page-parts.ts'
import { addressWith, ageText, moreLink, sumText } from '../parts.ts'
import { translate } from '../words/translate.ts'
import { viewOf } from '../world.ts'

const PAGE = 25
/** The position of a case: a day, a sum, a kind, and the ids. */
const POSITION = /^[\x20-\x7e]{1,300}$/
const OUTCOMES = ['decided', 'proposed', 'against'] as const

/** What became of the case before. It is said on whichever screen follows. */
export function outcomeText({ locale, query }: OwnVisit): string | null {
  const done = OUTCOMES.find((each) => each === query.done)
  return done ? translate(locale, `caseDone_${done}`) : null
}

export const desk: ConsolePage = {
  method: 'get',
  path: '/:world/desk',
  needs: 'desk list',
  async handle(visit) {
    const { locale, query } = visit
    const { ctx, world, merchantId } = await viewOf(visit)
    const kind = CASE_KINDS.find((each) => each === query.kind)
    const after = query.after !== undefined && POSITION.test(query.after) ? query.after : undefined
    const about = { merchantId: merchantId ?? undefined, kind, after, limit: PAGE }
    const [{ cases, next }, counts] = await Promise.all([listDesk(ctx, about), countDesk(ctx, merchantId)])
    const proposed = cases.filter((each) => each.kind === 'approval').map(({ subject }) => subject)
    const proposals = await findNamed(ctx, proposed)
    const title = translate(locale, 'deskTitle')
    const path = `/${world}/desk`
    const kinds = [
      [undefined, translate(locale, 'allKinds')] as const,
      ...counts.map(
        (each) =>
          [each.kind, `${translate(locale, `cases.${each.kind}`)} · ${countText(each.count)}`] as const,
      ),
    ]
    const body = html`${counts.length > 1 || kind ? choiceTags(kinds, kind, (each) => addressWith(path, { kind: each })) : null}
      ${cases.length === 0 ? html`<p class="lead">${translate(locale, next ? 'listNoneSoFar' : 'deskNone')}</p>` : html`<p class="hint">${translate(locale, 'deskOrder')}</p>`}
      <ul class="rows">${cases.map((each) => caseRow(locale, world, { found: each, proposal: proposals.get(each.subject) }))}</ul>
      ${moreLink(locale, next && addressWith(path, { kind, after: next }))}`
    return wideScreen({ title, body, notice: outcomeText(visit) })
  },
}

/** No more than COUNTED_MAX are counted. */
export const countText = (count: number) => (count >= COUNTED_MAX ? `${COUNTED_MAX}+` : String(count))

/** Where the case is decided. What has a screen of its own is decided there. */
export function caseAddress(
  world: string,
  { kind, subject, accountId }: Pick<Case, 'kind' | 'subject' | 'accountId'>,
): string {
  if (kind === 'approval') return `/${world}/approvals/${subject}`
  const id = kind === 'difference' ? `${accountId} ${subject}` : subject
  return `/${world}/desk/${kind}/${encodeURIComponent(id)}`
}

type CaseRow = { found: Case; proposal: Proposal | undefined }

function caseRow(locale: Locale, world: string, { found, proposal }: CaseRow): Markup {
  const { kind, amountMinor, currency, merchantName, paymentId, ageSeconds } = found
  const name = translate(locale, `cases.${kind}`)
  const facts = proposal
    ? [name, ...proposalFacts(locale, proposal, merchantName)]
    : [merchantName, paymentId && shortNumber(paymentId)]
  const waits = translate(locale, 'caseWaits', { age: ageText(ageSeconds, locale) })
  return html`<li>
    <a href=${caseAddress(world, found)} class="row case">
      <strong>${proposal ? capitalized(actText(locale, proposal.what), locale) : name}</strong>
      <span class="sum">${proposal ? proposalSum(locale, proposal) : sumText(amountMinor, currency, locale)}</span>
      <span class="hint">${[waits, ...facts].filter(Boolean).join(' · ')}</span>
    </a>
  </li>`
}
