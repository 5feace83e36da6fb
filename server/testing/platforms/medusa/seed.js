/** Fills an empty Medusa: two regions, a tea with a price in each currency, a key for the store and a person of the staff. */
const { Modules } = require('@medusajs/framework/utils')
const flows = require('@medusajs/medusa/core-flows')

const PAYMENT = ['pp_kassa_kassa']

module.exports.default = async ({ container }) => {
  const run = async (workflow, input) => (await workflow(container).run({ input })).result
  const [store] = await container.resolve(Modules.STORE).listStores()
  const [channel] = await container.resolve(Modules.SALES_CHANNEL).listSalesChannels()
  await run(flows.updateStoresWorkflow, {
    selector: { id: store.id },
    update: { supported_currencies: [{ currency_code: 'usd', is_default: true }, { currency_code: 'amd' }] },
  })
  const regions = await run(flows.createRegionsWorkflow, {
    regions: [
      { name: 'States', currency_code: 'usd', countries: ['us'], payment_providers: PAYMENT },
      { name: 'Armenia', currency_code: 'amd', countries: ['am'], payment_providers: PAYMENT },
    ],
  })
  const [key] = await run(flows.createApiKeysWorkflow, {
    api_keys: [{ title: 'Store', type: 'publishable', created_by: '' }],
  })
  await run(flows.linkSalesChannelsToApiKeyWorkflow, { id: key.id, add: [channel.id] })
  const [product] = await run(flows.createProductsWorkflow, {
    products: [
      {
        title: 'Tea',
        status: 'published',
        sales_channels: [{ id: channel.id }],
        options: [{ title: 'Size', values: ['One'] }],
        variants: [
          {
            title: 'One',
            manage_inventory: false,
            options: { Size: 'One' },
            prices: [
              { amount: 19, currency_code: 'usd' },
              { amount: 1_900, currency_code: 'amd' },
            ],
          },
        ],
      },
    ],
  })
  const staff = { email: 'staff@shop.example', password: 'of-a-test' }
  const auth = container.resolve(Modules.AUTH)
  const user = await container.resolve(Modules.USER).createUsers({ email: staff.email })
  const { authIdentity } = await auth.register('emailpass', { body: staff })
  await auth.updateAuthIdentities({ id: authIdentity.id, app_metadata: { user_id: user.id } })
  const seeded = {
    publishableKey: key.token,
    variant: product.variants[0].id,
    regions: Object.fromEntries(regions.map(({ id, currency_code }) => [currency_code.toUpperCase(), id])),
    staff,
  }
  console.log(`SEEDED ${JSON.stringify(seeded)}`)
}
