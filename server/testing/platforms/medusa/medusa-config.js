/** A shop with Medusa, as small as it can be. The driver copies this file into the project of its run. */
const { defineConfig } = require('@medusajs/framework/utils')

const { DATABASE_URL, KASSA_URL, KASSA_TOKEN, KASSA_WEBHOOK_SECRET } = process.env
const kassa = { url: KASSA_URL, token: KASSA_TOKEN, webhookSecret: KASSA_WEBHOOK_SECRET }
const cors = 'http://localhost:8000'

module.exports = defineConfig({
  projectConfig: {
    databaseUrl: DATABASE_URL,
    databaseDriverOptions: { ssl: false },
    http: {
      storeCors: cors,
      adminCors: cors,
      authCors: cors,
      jwtSecret: 'of-a-test',
      cookieSecret: 'of-a-test',
    },
  },
  admin: { disable: true },
  plugins: [{ resolve: 'kassa-medusa', options: kassa }],
  modules: [
    {
      resolve: '@medusajs/medusa/payment',
      options: { providers: [{ resolve: 'kassa-medusa/providers/kassa', id: 'kassa', options: kassa }] },
    },
  ],
})
