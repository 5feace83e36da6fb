/**
 * The safe form of every act on a payment. The first form is tried out and shown again, and only the second one does it. What the
 * person saw is part of the key: two forms that saw the same do it once, however often and from wherever they are sent.
 */

import { doAct, oneActOf, rehearseAct } from '../../acts/do.ts'
import type { Context } from '../../context.ts'
import { factorFormOf } from '../again.ts'
import { goesBack } from '../form-parts.ts'
import type { ConsolePage, OwnVisit, Shown } from '../page.ts'
import { refusalOf } from '../refusals.ts'
import { translateAny } from '../words/translate.ts'
import { type View, writing } from '../world.ts'
import { factsOf, readGiven } from './act-given.ts'
import { confirmScreen, formScreen } from './act-screens.ts'
import { type ActFacts, type ActInput, PAYMENT_ACTS, type PaymentAct } from './acts.ts'
import { buyerMailNotice } from './buyer-mail-notice.ts'
import { findOwnPayment } from './payment.ts'

async function findFacts(visit: OwnVisit): Promise<{ view: View; facts: ActFacts }> {
  const { view, timeline } = await findOwnPayment(visit)
  return { view, facts: await factsOf(view.ctx, visit.user, timeline) }
}

const pagesOf = (act: PaymentAct): ConsolePage[] => {
  const page = { path: `/:world/payments/:id/${act.name}`, needs: act.row.name }
  return [
    {
      ...page,
      method: 'get' as const,
      handle: async (visit: OwnVisit) => formScreen(act, visit, (await findFacts(visit)).facts),
    },
    { ...page, method: 'post' as const, handle: (visit: OwnVisit) => answerForm(act, visit) },
  ]
}

async function answerForm(act: PaymentAct, visit: OwnVisit): Promise<Shown> {
  const { view, facts } = await findFacts(visit)
  if (goesBack(visit)) return formScreen(act, visit, facts)
  const given = readGiven(act, visit, facts)
  if (typeof given === 'string') return formScreen(act, visit, facts, given)
  const whyNot = act.whyNot(facts)
  if (whyNot) return formScreen(act, visit, facts, translateAny(visit.locale, whyNot))
  try {
    return await rehearseOrDo(act, visit, { view, facts, given })
  } catch (error) {
    return formScreen(act, visit, facts, refusalOf(visit.locale, error))
  }
}

async function rehearseOrDo(
  act: PaymentAct,
  visit: OwnVisit,
  { view, facts, given }: { view: View; facts: ActFacts; given: ActInput },
): Promise<Shown> {
  const { user, form } = visit
  const ctx = writing(visit, act.row.name, given.paymentId)
  if (form.confirm !== 'yes') {
    const { row, args } = act
    if (!row.asksOthers) await rehearseAct(ctx, user, row, args(given))
    const one = await oneActOf(ctx, row, args(given))
    return confirmScreen(act, visit, facts, {
      given,
      factorForm: await factorFormOf(visit, one),
      mailNotice: await buyerMailNotice(ctx, visit, facts, { act, given }),
    })
  }
  const done = await carryOut(ctx, act, visit, given)
  return { kind: 'redirect', to: `/${view.world}/payments/${given.paymentId}?done=${done}` }
}

async function carryOut(
  ctx: Context,
  act: PaymentAct,
  { user }: OwnVisit,
  given: ActInput,
): Promise<PaymentAct['name'] | 'proposed'> {
  const { row, args, name } = act
  const one = await oneActOf(ctx, row, args(given))
  if (one) await user.prove(one)
  return 'proposed' in (await doAct(ctx, user, row, args(given))) ? 'proposed' : name
}

export const PAYMENT_ACT_PAGES: readonly ConsolePage[] = PAYMENT_ACTS.flatMap(pagesOf)
