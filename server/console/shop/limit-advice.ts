/** The limits that going live suggests, for people who may set them. */
import { reading } from '../../access/acting.ts'
import { may } from '../../acts/policy.ts'
import { suggestLimits } from '../../operator/approvals/suggested.ts'
import { html, type Markup } from '../../pages/html.ts'
import { mainWorld } from '../../worlds.ts'
import type { OwnVisit } from '../page.ts'
import { limitsText } from '../parts.ts'
import { translate } from '../words/translate.ts'

/** It is no step: a deployment may go without limits. Nothing is set until a person confirms it. */
export async function limitAdvice({ locale, user, worlds }: OwnVisit): Promise<Markup> {
  if (!may(user, 'approval limit')) return null
  const main = reading(mainWorld(worlds))
  const { open, canSet } = await suggestLimits(main)
  if (open.length === 0) return null
  const path = `/${main.world}`
  return html`<section class="advice">
    <h2>${translate(locale, 'setLimits')}</h2>
    <p>${translate(locale, 'limitsNone', { limits: limitsText(locale, open) })}</p>
    ${
      canSet
        ? open.map(
            ({ currency }) =>
              html`<p><a class="button quiet" href=${`${path}/settings/approval-limit?currency=${currency}`}>${translate(locale, 'liveLimitAccept', { currency })}</a></p>`,
          )
        : html`<p>${translate(locale, 'do_limitsPerson')}</p><p><a href=${`${path}/users/new`}>${translate(locale, 'userAdd')}</a></p>`
    }
    ${canSet ? html`<p class="hint">${translate(locale, 'liveLimitDecline')}</p>` : null}
  </section>`
}
