/** `link`: payment links, made in the merchant's place. */
import { CURRENCY_CODES } from '../../../contract/currencies.ts'
import { PROVIDER_ROUTES } from '../../../contract/fields.ts'
import { createLinkFor } from '../../../operator/acts/link.ts'
import { doOrRehearse } from '../../../operator/acts/rehearse.ts'
import { ADMIN, type Noun, verb } from '../../command.ts'
import { DRY_RUN, rehearsedOutcome } from '../../dry-run.ts'
import { MERCHANT, optional, optionalChoice, required, requiredChoice } from '../../flag.ts'
import { pairs, paragraphs } from '../../layout.ts'

const create = verb({
  name: 'create',
  needs: 'operator',
  summary: 'Create a payment link, whose address can be sent or printed',
  flags: {
    merchant: MERCHANT,
    amount: required('15.00', 'the amount'),
    currency: requiredChoice('CODE', 'its currency', CURRENCY_CODES),
    description: required('TEXT', 'what the buyer pays for'),
    order: optional('ORDER', "the shop's reference (merchantOrderId)"),
    email: optional('EMAIL', "the buyer's e-mail address"),
    route: optionalChoice('ROUTE', 'the provider route', PROVIDER_ROUTES),
    expires: optional('TIME', 'when the link ends, such as 2026-08-02T14:00:00Z'),
    key: optional('KEY', 'a name for this link; the same name never makes two (derived if it is left out)'),
    dryRun: DRY_RUN,
  },
  examples: ['--merchant mer_01... --amount 15.00 --currency USD --description "Mountain tea"'],
  async run(ctx, values, { operator: by }) {
    const { merchant: merchantId, amount, currency, description, key, dryRun } = values
    const wish = defined({
      amount,
      currency,
      description,
      merchantOrderId: values.order,
      providerRoute: values.route,
      expiresAt: values.expires,
      customer: values.email === undefined ? undefined : { email: values.email },
    })
    const link = await doOrRehearse(ctx, values, (own) => createLinkFor(own, { merchantId, wish, key, by }))
    const text = paragraphs(
      link.created
        ? 'Created the link.'
        : 'This link was created before, so nothing was done. For another one with the same terms give it a name of its own: --key second',
      pairs([
        ['Link', dryRun ? null : link.paymentUrl],
        ['Payment', dryRun ? null : link.paymentId],
        ['Order', link.payment.merchantOrderId],
        ['Status', link.status],
        ['Ends', link.expiresAt],
        ['Key', link.key],
      ]),
      !dryRun && `Its payment: ${ADMIN} payment show --payment ${link.paymentId}`,
    )
    return rehearsedOutcome(dryRun, { json: { ...link }, text })
  },
})

const defined = <Given extends object>(given: Given): Given =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as Given

export const link: Noun = { name: 'link', summary: 'Create payment links', verbs: [create] }
