/** A shop with Vendure, as small as it can be. The driver copies this file into the project of its run. */
import { bootstrap, DefaultLogger, LogLevel } from '@vendure/core'
import { KassaPlugin } from 'kassa-vendure'

await bootstrap({
  apiOptions: {
    port: Number(process.env.PORT),
    hostname: '127.0.0.1',
    adminApiPath: 'admin-api',
    shopApiPath: 'shop-api',
    middleware: [],
  },
  authOptions: {
    tokenMethod: ['bearer'],
    superadminCredentials: { identifier: 'superadmin', password: 'superadmin' },
    cookieOptions: { secret: 'of-a-test' },
  },
  dbConnectionOptions: { type: 'postgres', url: process.env.DATABASE_URL, synchronize: true, logging: false },
  logger: new DefaultLogger({ level: LogLevel.Info, timestamp: true }),
  paymentOptions: { paymentMethodHandlers: [] },
  plugins: [KassaPlugin],
})
