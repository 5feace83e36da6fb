/** Drives a real Vendure. */
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePort } from '../../harness.ts'
import { openSession } from '../graphql.ts'
import { findInstall } from '../install.ts'
import type { Opening, Platform, PlatformShop } from '../platform.ts'
import { programOn } from '../program.ts'
import { fillProject } from '../project.ts'
import { checkWithTypes } from '../types.ts'
import { buyerAt, TOKEN_HEADER } from './buyer.ts'
import { fillVendure } from './catalogue.ts'
import { staffWith } from './staff.ts'

const MAIN = 'main.mjs'
const SHOP = `import type { VendureConfig } from '@vendure/core'
import { KassaPlugin } from 'kassa-vendure'
export const plugins: VendureConfig['plugins'] = [KassaPlugin]`

export const VENDURE: Platform = {
  name: 'vendure',
  find: () => findInstall('vendure', 'Vendure'),
  checkSources: (folder, install) => checkWithTypes(folder, { install, plugin: 'vendure', shop: SHOP }),
  open: openVendure,
}

async function openVendure({ kassa, install, folder, databaseUrl }: Opening): Promise<PlatformShop> {
  fillProject(folder, { install, plugin: 'vendure' })
  copyFileSync(fileURLToPath(new URL(MAIN, import.meta.url)), join(folder, MAIN))
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const program = programOn(`${url}/shop-api?query={__typename}`, {
    args: [MAIN],
    cwd: folder,
    env: { PORT: String(port), DATABASE_URL: databaseUrl, VENDURE_DISABLE_TELEMETRY: 'true' },
  })
  await program.start()
  const adminOf = (channel: string) =>
    openSession(`${url}/admin-api?vendure-token=${encodeURIComponent(channel)}`, TOKEN_HEADER)
  const admin = adminOf('')
  const catalogue = await fillVendure(admin, kassa)
  let channels = 0
  return {
    callbackUrl: `${url}/kassa/events`,
    version: `Vendure ${/Vendure server \(v([\d.]+)/.exec(program.output())?.[1] ?? '(unknown)'}`,
    ...buyerAt(`${url}/shop-api`, catalogue),
    async openChannel(access) {
      const token = `channel-${++channels}`
      const own = await catalogue.openChannel(token, adminOf, access)
      return buyerAt(`${url}/shop-api?vendure-token=${token}`, own)
    },
    ...staffWith(admin, catalogue),
    kill: program.kill,
    restart: program.start,
    output: program.output,
    close: program.kill,
  }
}
