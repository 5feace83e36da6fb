import { refuseCardData } from '../../card-number/card-data.ts'
import type { Context } from '../../context.ts'
import { AppError } from '../../errors.ts'
import { cost, FREE } from '../../limits/cost.ts'
import type { ProductRecord } from '../../merchants/product.ts'
import { mayBeSold, type SaleTerms } from '../../merchants/sale-terms.ts'
import {
  acceptOffer,
  findOffer,
  type Offer,
  type Sale,
  saleReference,
} from '../../payments/creation/pay-page.ts'
import { findBrand, previewImage } from '../brand/brand.ts'
import { begun, findEarlier, leaving } from '../buyer-cookies.ts'
import { goOn } from '../checkout/checkout.ts'
import { routeOptions } from '../checkout/choice-form.ts'
import { askAgain, readEmail } from '../checkout/email-field.ts'
import { answersOf, FIELDS_FORM_BYTES, formFields } from '../checkout/product-fields.ts'
import type { PageEndpoint, Shown, Visit } from '../page-endpoint.ts'
import { issueToken, readToken } from './form-token.ts'
import { payPage } from './pay-page.ts'
import type { PayProblem } from './pay-view.ts'
import { shownProduct } from './shown-product.ts'
import { readTypedAmount } from './typed-amount.ts'

const PATH = '/pay/:publicKey/:productId'

const PROBLEM_STATUS: Record<PayProblem, number> = {
  foreign: 403,
  stale: 409,
  changed: 409,
  amount: 422,
  quantity: 422,
  begun: 409,
  email: 422,
  fields: 422,
}

/** A product's page. Looking at it, prefetching it or making a preview of it creates nothing. */
export const pay: PageEndpoint = {
  method: 'get',
  path: PATH,
  stranger: { body: 0, once: cost(6), flood: cost(1) },
  handle: (ctx, visit) => withOffer(ctx, visit, async (offer) => showOffer(ctx, visit, offer)),
}

/** The buyer confirms. A form that is not ours, or not for the current offer, is shown again and creates nothing. */
export const payForm: PageEndpoint = {
  method: 'post',
  path: PATH,
  formBytesMax: FIELDS_FORM_BYTES,
  stranger: { body: FIELDS_FORM_BYTES, once: cost(6), flood: FREE },
  limited: 'widget',
  handle: (ctx, visit) =>
    withOffer(ctx, visit, async (offer) => {
      if (visit.sender !== 'own_page') return showOffer(ctx, visit, offer, 'foreign')
      const read = readToken(ctx, offer, visit.form.token ?? '')
      if (read.kind !== 'good') return showOffer(ctx, visit, offer, read.kind)
      const terms = readTerms(offer.product, visit.form)
      if (typeof terms === 'string') return showOffer(ctx, visit, offer, terms)
      const email = offer.asksEmail ? readEmail(visit.form.email ?? '') : undefined
      if (email === null) return showOffer(ctx, visit, offer, 'email')
      const answers = answersOf(formFields(fieldsOf(offer), visit.locale, visit.form, true))
      if (answers === null) return showOffer(ctx, visit, offer, 'fields')
      const earlier = await findEarlier(ctx, visit, saleIn(offer))
      const isSame = earlier?.clientReference === saleReference(read.reference, terms)
      if (earlier && !isSame && visit.form.again === undefined) return showOffer(ctx, visit, offer, 'begun')
      const payment = await acceptOffer(ctx, offer, read.reference, terms, {
        locale: visit.locale,
        email,
        answers,
        address: visit.address,
      })
      // The buyer has just seen the amount, so the next page is the provider's. The form may be a second copy. So the provider
      // is asked first, and a payment that cannot be paid any more leads to its own page.
      const cookies = [leaving(ctx), begun(saleIn(offer), payment.id)]
      return { ...(await goOn(ctx, visit, payment.id, { chosen: visit.form.route })), cookies }
    }),
}

const saleIn = ({ installation, product }: Offer): Sale => ({
  merchantId: installation.merchantId,
  productId: product.id,
})

const fieldsOf = ({ product }: Offer) => product.display?.fields ?? {}

/** Returns the buyer's choice, null if there is nothing to choose, or what is wrong with the choice. */
function readTerms(product: ProductRecord, form: Record<string, string>): SaleTerms | PayProblem | null {
  const { choice, maxQuantity = 1, currency } = product
  if (!choice && maxQuantity === 1) return null
  const amountMinor = choice
    ? readTypedAmount(form.suggested ?? form.amount ?? '', currency)
    : product.amountMinor
  const quantity = choice ? 1 : /^\d{1,3}$/.test(form.quantity ?? '') ? Number(form.quantity) : 0
  if (amountMinor !== null && mayBeSold(product, { amountMinor, quantity })) return { amountMinor, quantity }
  return choice ? 'amount' : 'quantity'
}

async function withOffer(
  ctx: Context,
  { params, query }: Visit,
  answer: (offer: Offer) => Promise<Shown>,
): Promise<Shown> {
  const { publicKey = '', productId = '' } = params
  try {
    refuseCardData({ returnUrl: query.return }, 'query')
    const offer = await findOffer(ctx, { publicKey, productId, returnUrl: query.return })
    return offer ? await answer(offer) : { kind: 'message', message: 'not_offered', status: 404 }
  } catch (error) {
    if (!(error instanceof AppError) || !isAboutReturn(error)) throw error
    return { kind: 'message', message: 'return_refused', status: 422 }
  }
}

const isAboutReturn = ({ code }: AppError) =>
  code === 'return_url_not_allowed' || code === 'raw_card_data_rejected'

async function showOffer(ctx: Context, visit: Visit, offer: Offer, problem?: PayProblem): Promise<Shown> {
  const { locale, localeLinks, path, query, form } = visit
  const { amountMinor, currency, choice = null, maxQuantity = 1 } = offer.product
  const { name: description, ...product } = shownProduct(offer.product, locale)
  const [brand, earlier] = await Promise.all([
    findBrand(ctx, offer.installation.merchantId, locale),
    findEarlier(ctx, visit, saleIn(offer)),
  ])
  const html = payPage({
    locale,
    localeLinks,
    mode: ctx.world,
    merchantName: brand.name,
    brand,
    ...previewImage(ctx, product, brand),
    description,
    product,
    leadsTo: offer.leadsTo,
    routes: routeOptions(locale, offer.routes),
    amountMinor,
    currency,
    choice,
    earlier,
    maxQuantity,
    typed: {
      ...(form.amount && { amount: form.amount }),
      ...(form.quantity && { quantity: form.quantity }),
    },
    action: Object.keys(query).length === 0 ? path : `${path}?${new URLSearchParams(query)}`,
    token: issueToken(ctx, offer),
    ...(offer.asksEmail && { email: problem === 'email' ? askAgain(form.email) : { typed: form.email } }),
    fields: formFields(fieldsOf(offer), locale, form, problem === 'email' || problem === 'fields'),
    ...(problem && { problem }),
  })
  return { kind: 'page', html, status: problem ? PROBLEM_STATUS[problem] : 200 }
}
