import type { Context } from '../../context.ts'
import { cost, FREE } from '../../limits/cost.ts'
import type { Answers } from '../../payments/creation/buyer.ts'
import {
  type Checkout,
  confirmationOf,
  findCheckout,
  goToProvider,
  payAnotherWay,
  returnFromProvider,
} from '../../payments/creation/checkout.ts'
import { findSale, saleOf } from '../../payments/creation/pay-page.ts'
import { findFieldsToAsk } from '../../payments/creation/product-fields.ts'
import { onwardUrl } from '../../payments/creation/shop-address.ts'
import { checkoutUrl } from '../../payments/view.ts'
import { type Brand, findBrand } from '../brand/brand.ts'
import { begun, type Earlier, findEarlier, leaving, paying } from '../buyer-cookies.ts'
import { linksTo, type PageEndpoint, type Shown, type Visit } from '../page-endpoint.ts'
import { findSoldProduct, type ShownProduct } from '../pay/shown-product.ts'
import { type CheckoutControl, checkoutContent, checkoutPage } from './checkout-page.ts'
import { routeOptions } from './choice-form.ts'
import { type AskedEmail, askAgain, readEmail } from './email-field.ts'
import { KEPT, RETURNED } from './look-again.ts'
import { LEAVE } from './other-way.ts'
import { lookAgainAt, paymentView, UNAVAILABLE_NOW } from './payment-view.ts'
import { answersOf, FIELDS_FORM_BYTES, type FormField, formFields, hasFields } from './product-fields.ts'
import { skipPage, withoutMark } from './skip.ts'

/**
 * The hosted page of one payment in any state. Showing it changes nothing. A buyer who came back from the provider before the
 * outcome was known waits here, and goes on to the shop once the payment is paid.
 */
export const checkout: PageEndpoint = {
  method: 'get',
  path: '/checkout/:paymentId',
  stranger: { body: 0, once: cost(8, { provider: 1, rows: 1 }), flood: cost(4) },
  async handle(ctx, visit) {
    const found = await findCheckout(ctx, visit.params.paymentId ?? '')
    if (!found) return { kind: 'not_found' }
    const onward = visit.query[RETURNED] === undefined ? null : onwardUrl(found.payment)
    if (onward) return { kind: 'redirect', url: onward }
    return (await skipPage(ctx, visit, found)) ?? showFound(ctx, withoutMark(visit), found)
  },
}

async function showFound(
  ctx: Context,
  visit: Visit,
  found: Checkout,
  { email = {}, isChecked = false }: { email?: AskedEmail; isChecked?: boolean } = {},
): Promise<Shown> {
  const [brand, product, earlier] = await Promise.all([
    findBrand(ctx, found.payment.merchantId, visit.locale),
    findSoldProduct(ctx, found.payment, visit.locale),
    findEarlier(ctx, visit, saleOf(found.payment), found.payment.id),
  ])
  return showCheckout(ctx, visit, found, {
    brand,
    product,
    earlier,
    ...(found.asksEmail && { email }),
    fields: formFields(found.asks, visit.locale, visit.form, isChecked),
  })
}

/** The buyer's e-mail address or a field is wrong, so the payment's page asks again. */
async function askAgainOn(ctx: Context, visit: Visit, paymentId: string): Promise<Shown | null> {
  const found = await findCheckout(ctx, paymentId)
  if (!found || (!found.asksEmail && Object.keys(found.asks).length === 0)) return null
  const path = `/checkout/${found.payment.id}`
  const { locale } = visit.query
  const { email: typed = '' } = visit.form
  const own = { ...visit, path, localeLinks: linksTo(path, locale === undefined ? {} : { locale }) }
  const email = readEmail(typed) === null ? askAgain(typed) : { typed }
  const shown = await showFound(ctx, own, found, { email, isChecked: true })
  return shown.kind === 'page' ? { ...shown, status: 422 } : shown
}

/** The buyer presses the pay control. A form of another site presses nothing: it leads to the page with the control. */
async function press(ctx: Context, visit: Visit): Promise<Shown> {
  if (visit.sender === 'other_site') return checkoutLink.handle(ctx, visit)
  const paymentId = visit.params.paymentId ?? ''
  if (visit.form[LEAVE] !== undefined) return leave(ctx, visit, paymentId)
  const { route: chosen, email: typed } = visit.form
  const email = typed === undefined ? undefined : readEmail(typed)
  const answers = await readAnswers(ctx, visit, paymentId)
  const again = email === null || answers === null ? await askAgainOn(ctx, visit, paymentId) : null
  const confirmation = visit.query.confirm
  return (
    again ??
    goOn(ctx, visit, paymentId, {
      chosen,
      confirmation,
      ...(email && { email }),
      ...(answers && { answers }),
    })
  )
}

/** The buyer wants to pay in another way. Our page then offers the choice, or says until when the order is kept. */
async function leave(ctx: Context, visit: Visit, paymentId: string): Promise<Shown> {
  const keptUntil = await payAnotherWay(ctx, paymentId)
  const query = new URLSearchParams({
    ...(visit.query.locale && { locale: visit.locale }),
    ...(keptUntil && { [KEPT]: '1' }),
  })
  return { kind: 'redirect', url: `${ownAddress(ctx, paymentId)}${query.size > 0 ? `?${query}` : ''}` }
}

/** Returns undefined for a form without such fields, and null where one of them is wrong. */
async function readAnswers(ctx: Context, { form, locale }: Visit, paymentId: string) {
  if (!hasFields(form)) return undefined
  return answersOf(formFields(await findFieldsToAsk(ctx, paymentId), locale, form, true))
}

/**
 * Leads to the provider, or to the page of a payment that has changed in the meantime. If the provider wants a form and the
 * buyer's browser has just posted it, the browser posts it on to the provider. Otherwise our page shows it.
 */
export async function goOn(
  ctx: Context,
  visit: Visit,
  paymentId: string,
  given: {
    chosen?: string | undefined
    confirmation?: string | undefined
    email?: string
    answers?: Answers
  } = {},
): Promise<Extract<Shown, { kind: 'redirect' }>> {
  const onward = await goToProvider(ctx, paymentId, {
    locale: visit.locale,
    address: visit.address,
    ...given,
  })
  if (onward === 'not_ready') {
    const query = new URLSearchParams({
      ...(visit.query.locale && { locale: visit.locale }),
      [UNAVAILABLE_NOW]: '1',
    })
    return { kind: 'redirect', url: `${ownAddress(ctx, paymentId)}?${query}`, about: { paymentId } }
  }
  const fields = Object.entries(onward?.fields ?? {})
  if (onward && fields.every(([name, value]) => visit.form[name] === value)) {
    // Otherwise another site could make a stranger's payment look like one that this buyer has begun.
    const sale = visit.sender === 'own_page' ? await findSale(ctx, paymentId) : null
    const cookies = [leaving(ctx), paying(paymentId), ...(sale ? [begun(sale, paymentId)] : [])]
    return {
      kind: 'redirect',
      url: onward.url,
      keepsForm: onward.fields !== null,
      cookies,
      about: { paymentId },
    }
  }
  return { kind: 'redirect', url: `${ownAddress(ctx, paymentId)}${visit.chosenLocale}` }
}

const ONWARD = '/checkout/:paymentId/continue'
/** Scanners and previews follow links, so a link only leads to the page with the control. */
export const checkoutLink: PageEndpoint = {
  method: 'get',
  path: ONWARD,
  stranger: { body: 0, once: FREE, flood: FREE },
  async handle(ctx, { params, chosenLocale }) {
    return { kind: 'redirect', url: `${ownAddress(ctx, params.paymentId ?? '')}${chosenLocale}` }
  },
}
export const checkoutForm: PageEndpoint = {
  method: 'post',
  path: ONWARD,
  formBytesMax: FIELDS_FORM_BYTES,
  stranger: { body: FIELDS_FORM_BYTES, once: cost(14, { provider: 1, rows: 1 }), flood: cost(4) },
  handle: press,
}

/** Our own return address. The provider is asked first. Only a buyer who has paid goes on to the merchant. */
export const checkoutReturn: PageEndpoint = {
  method: 'get',
  path: '/checkout/:paymentId/return',
  stranger: { body: 0, once: cost(7, { provider: 1, lines: 1, rows: 1 }), flood: cost(3) },
  // A buyer who comes from the bank may have paid, so visits of other pages do not use up this limit.
  limited: 'return',
  async handle(ctx, visit) {
    const paymentId = visit.params.paymentId ?? ''
    const back = await returnFromProvider(ctx, paymentId, visit.locale)
    const url = back?.url ?? `${ownAddress(ctx, paymentId)}?${RETURNED}=1`
    return { kind: 'redirect', url, cookies: [leaving(ctx)], ...(back && { about: { paymentId } }) }
  },
}

/** An id in an address can be any text. */
const ownAddress = (ctx: Context, paymentId: string) => checkoutUrl(ctx, encodeURIComponent(paymentId))

/** Returns the branding and the product in the page's language. */
type Looks = {
  brand: Brand
  product: ShownProduct | null
  earlier: Earlier | null
  email?: AskedEmail
  fields: readonly FormField[]
}

function showCheckout(ctx: Context, visit: Visit, found: Checkout, looks: Looks): Shown {
  const { payment } = found
  const address = checkoutUrl(ctx, payment.id)
  const { isManual, ...facts } = paymentView(ctx, visit, found, looks.brand, looks.product)
  const view = {
    ...facts,
    isManual,
    control: controlOf(`${address}/continue`, visit, found),
    address,
    earlier: looks.earlier,
    ...(found.hasOtherWay && {
      otherWay: {
        action: `${address}/continue${visit.chosenLocale}`,
        ...(visit.query[KEPT] !== undefined && { keptUntil: payment.attempt.expiresAt.toISOString() }),
      },
    }),
    ...(looks.email && { email: looks.email }),
    fields: looks.fields,
    ...(!isManual && { expiresAt: payment.expiresAt.toISOString() }),
  }
  const lookAgain = lookAgainAt(visit, checkoutContent(view))
  const html = checkoutPage({ ...view, ...(lookAgain && { lookAgain }) })
  return { kind: 'page', html, refresh: lookAgain?.next }
}

/** The control posts to our own address, so that the provider is asked first. It has the fields of the provider's form, if any. */
export function controlOf(
  onward: string,
  { query, locale }: Visit,
  { payment, paidOtherwise, canGoOn, choices }: Checkout,
): CheckoutControl {
  const { form, state } = payment.attempt
  const kept = new URLSearchParams({
    ...(query.locale !== undefined && { locale: query.locale }),
    ...(paidOtherwise && { confirm: confirmationOf(paidOtherwise) }),
  })
  const address = kept.size > 0 ? `${onward}?${kept}` : onward
  if (!canGoOn) return { kind: 'none' }
  if (choices.length > 0) {
    return { kind: 'choice', action: address, options: routeOptions(locale, choices) }
  }
  if (form && state === 'open') return { kind: 'form', action: address, fields: form.fields }
  return { kind: 'form', action: address, fields: {} }
}
