/** Fills an empty Vendure through its Admin API: a country, a tax of nothing, free shipping, and goods of any price. */
import type { Session } from '../graphql.ts'
import type { KassaAccess, Sum } from '../platform.ts'

const named = (name: string) => [{ languageCode: 'en', name, description: '' }]
const CURRENCIES = ['USD', 'AMD']

export const methodHandler = ({ url, token, webhookSecret }: KassaAccess) => ({
  code: 'kassa',
  arguments: Object.entries({ url, token, webhookSecret }).map(([name, value]) => ({ name, value })),
})

export type Catalogue = { paymentMethodId: string; variantOf(sum: Sum): Promise<string> }
/** `openChannel`: `adminOf` returns the Admin API of a channel by its token. */
export type Filled = Catalogue & {
  openChannel(token: string, adminOf: (token: string) => Session, access: KassaAccess): Promise<Catalogue>
}

const signIn = (admin: Session) =>
  admin.ask(
    `mutation { login(username: "superadmin", password: "superadmin") { ... on CurrentUser { id } } }`,
  )

export async function fillVendure(admin: Session, access: KassaAccess): Promise<Filled> {
  await signIn(admin)
  const country = await admin.ask(
    `mutation ($input: CreateCountryInput!) { createCountry(input: $input) { id } }`,
    { input: { code: 'AM', enabled: true, translations: [{ languageCode: 'en', name: 'Armenia' }] } },
  )
  const { createZone: zone } = await admin.ask(
    `mutation ($input: CreateZoneInput!) { createZone(input: $input) { id } }`,
    { input: { name: 'Here', memberIds: [country.createCountry.id] } },
  )
  const { createTaxCategory: tax } = await admin.ask(
    `mutation { createTaxCategory(input: { name: "None", isDefault: true }) { id } }`,
  )
  await admin.ask(`mutation ($input: CreateTaxRateInput!) { createTaxRate(input: $input) { id } }`, {
    input: { name: 'None', enabled: true, value: 0, categoryId: tax.id, zoneId: zone.id },
  })
  const { channels } = await admin.ask('{ channels { items { id } } }')
  const settings = {
    defaultTaxZoneId: zone.id,
    defaultShippingZoneId: zone.id,
    pricesIncludeTax: true,
    availableCurrencyCodes: CURRENCIES,
    defaultCurrencyCode: 'USD',
  }
  await admin.ask(
    `mutation ($input: UpdateChannelInput!) { updateChannel(input: $input) { ... on Channel { id } } }`,
    { input: { id: channels.items[0].id, ...settings } },
  )
  return {
    ...(await fillChannel(admin, tax.id, access)),
    async openChannel(token, adminOf, itsAccess) {
      await admin.ask(
        `mutation ($input: CreateChannelInput!) { createChannel(input: $input) {
          ... on Channel { id } ... on ErrorResult { message } } }`,
        { input: { code: token, token, defaultLanguageCode: 'en', ...settings } },
      )
      const itsAdmin = adminOf(token)
      await signIn(itsAdmin)
      return fillChannel(itsAdmin, tax.id, itsAccess)
    },
  }
}

async function fillChannel(admin: Session, taxCategoryId: string, access: KassaAccess): Promise<Catalogue> {
  const free = { rate: '0', taxRate: '0', includesTax: 'auto' }
  await admin.ask(
    `mutation ($input: CreateShippingMethodInput!) { createShippingMethod(input: $input) { id } }`,
    {
      input: {
        code: 'free',
        fulfillmentHandler: 'manual-fulfillment',
        checker: {
          code: 'default-shipping-eligibility-checker',
          arguments: [{ name: 'orderMinimum', value: '0' }],
        },
        calculator: {
          code: 'default-shipping-calculator',
          arguments: Object.entries(free).map(([name, value]) => ({ name, value })),
        },
        translations: named('Free'),
      },
    },
  )
  const { createPaymentMethod: method } = await admin.ask(
    `mutation ($input: CreatePaymentMethodInput!) { createPaymentMethod(input: $input) { id } }`,
    { input: { code: 'kassa', enabled: true, handler: methodHandler(access), translations: named('Kassa') } },
  )
  return { paymentMethodId: method.id, variantOf: variantsIn(admin, taxCategoryId) }
}

/** Returns the goods of a price, which are made once. */
function variantsIn(admin: Session, taxCategoryId: string): Catalogue['variantOf'] {
  const made = new Map<number, string>()
  return async ({ amountMinor: price }) => {
    const known = made.get(price)
    if (known) return known
    const name = `goods-${price}`
    const { createProduct: product } = await admin.ask(
      `mutation ($input: CreateProductInput!) { createProduct(input: $input) { id } }`,
      { input: { translations: [{ languageCode: 'en', name, slug: name, description: '' }] } },
    )
    const { createProductVariants: variants } = await admin.ask(
      `mutation ($input: [CreateProductVariantInput!]!) { createProductVariants(input: $input) { id } }`,
      {
        input: [
          {
            productId: product.id,
            sku: name,
            taxCategoryId,
            trackInventory: 'FALSE',
            price,
            translations: [{ languageCode: 'en', name }],
          },
        ],
      },
    )
    await admin.ask(
      `mutation ($input: [UpdateProductVariantInput!]!) { updateProductVariants(input: $input) { id } }`,
      {
        input: [{ id: variants[0].id, prices: CURRENCIES.map((currencyCode) => ({ currencyCode, price })) }],
      },
    )
    made.set(price, variants[0].id)
    return variants[0].id
  }
}
