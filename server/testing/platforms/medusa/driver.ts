/** Drives a real Medusa. */
import { copyFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePort } from '../../harness.ts'
import { findInstall } from '../install.ts'
import type { Opening, Platform, PlatformShop } from '../platform.ts'
import { programOn, runToEnd } from '../program.ts'
import { fillProject } from '../project.ts'
import { checkWithTypes } from '../types.ts'
import { openApi } from './api.ts'
import { buyerOf } from './buyer.ts'
import { staffOf } from './staff.ts'

const FILES = ['medusa-config.js', 'seed.js']
/** Medusa serves it at /code/capture. */
const ROUTE_FOLDER = 'src/api/code/capture'
const sourceOf = (file: string) => fileURLToPath(new URL(file, import.meta.url))
const SHOP = `import { defineConfig } from '@medusajs/framework/utils'
import type { KassaOptions } from 'kassa-medusa'
const kassa: KassaOptions = { url: '', token: '', webhookSecret: '' }
export default defineConfig({ plugins: [{ resolve: 'kassa-medusa', options: kassa }] })`
const CLI = 'node_modules/@medusajs/cli/cli.js'

export const MEDUSA: Platform = {
  name: 'medusa',
  find: () => findInstall('medusa', 'Medusa'),
  checkSources: (folder, install) => checkWithTypes(folder, { install, plugin: 'medusa', shop: SHOP }),
  gaps: { saveSettings: 'Medusa has its settings in a file. They are checked when it starts.' },
  open: openMedusa,
}

async function openMedusa({ kassa, install, folder, databaseUrl }: Opening): Promise<PlatformShop> {
  fillProject(folder, { install, plugin: 'medusa' })
  for (const file of FILES) copyFileSync(sourceOf(file), join(folder, file))
  mkdirSync(join(folder, ROUTE_FOLDER), { recursive: true })
  copyFileSync(sourceOf('capture-route.js'), join(folder, ROUTE_FOLDER, 'route.js'))
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const env = {
    DATABASE_URL: databaseUrl,
    KASSA_URL: kassa.url,
    KASSA_TOKEN: kassa.token,
    KASSA_WEBHOOK_SECRET: kassa.webhookSecret,
    MEDUSA_DISABLE_TELEMETRY: 'true',
    NODE_ENV: 'production',
  }
  const cli = (...args: string[]) => ({ args: [CLI, ...args], cwd: folder, env })
  await runToEnd(cli('db:migrate', '--execute-all-links', '--skip-scripts'))
  const printed = await runToEnd(cli('exec', './seed.js'))
  const program = programOn(`${url}/health`, cli('start', '--host', '127.0.0.1', '--port', String(port)))
  await program.start()
  const api = await openApi(url, JSON.parse(/SEEDED (\{.*\})/.exec(printed)?.[1] ?? printed))
  return {
    callbackUrl: `${url}/kassa/events`,
    version: 'Medusa 2.21.2',
    ...buyerOf(api),
    ...staffOf(api),
    kill: program.kill,
    restart: program.start,
    output: program.output,
    close: program.kill,
  }
}
