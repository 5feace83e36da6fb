/** A WordPress of its own for a test, from a copy of the install. */
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { createWebServer, freePort, runPhp, startMariaDb } from './processes.ts'

const HERE = fileURLToPath(new URL('.', import.meta.url))
const TICK_MS = 2_000

export type WordPress = {
  url: string
  site: string
  kill(): Promise<void>
  restart(): Promise<void>
  output(): string
  close(): Promise<void>
}

/** Returns what is missing on this machine to run WordPress from this folder, or null. */
export function missingFor(folder: string): string | null {
  if (!existsSync(join(folder, 'wp-content/plugins/woocommerce/woocommerce.php')))
    return `${folder} has no WordPress with WooCommerce in it.`
  try {
    execFileSync('mariadbd', ['--version'], { stdio: 'ignore' })
    const modules = execFileSync('php', ['-m'], { encoding: 'utf8' })
    return modules.includes('mysqli') ? null : 'PHP lacks mysqli.'
  } catch {
    return 'WooCommerce needs php and mariadbd.'
  }
}

/** `plugin`: the folder of our packed plug-in. `setUp` installs WordPress in `site` before its web server starts. */
export async function startWordPress(
  install: string,
  { folder, plugin, setUp }: { folder: string; plugin: string; setUp: (site: string) => Promise<void> },
): Promise<WordPress> {
  const site = join(folder, 'site')
  cpSync(install, site, { recursive: true })
  cpSync(plugin, join(site, 'wp-content/plugins/kassa'), { recursive: true })
  mkdirSync(join(site, 'wp-content/mu-plugins'), { recursive: true })
  cpSync(join(HERE, 'test-site.php'), join(site, 'wp-content/mu-plugins/test-site.php'))
  const database = await startMariaDb(folder)
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  writeFileSync(join(site, 'wp-config.php'), configOf(url, database.socket))
  const server = createWebServer(site, port)
  const log = join(site, 'wp-content/debug.log')
  let schedule = runSchedule(site)
  const kill = async () => {
    await schedule.stop()
    await server.kill()
  }
  await setUp(site)
  await server.start()
  schedule.start()
  return {
    url,
    site,
    kill,
    async restart() {
      await server.start()
      schedule = runSchedule(site)
      schedule.start()
    },
    output: () => `${server.output()}\n${existsSync(log) ? readFileSync(log, 'utf8') : ''}`,
    async close() {
      await kill()
      await database.close()
    },
  }
}

/** What cron does on a real server, but oftener. */
function runSchedule(site: string): { start(): void; stop(): Promise<void> } {
  let isRunning = false
  let run = Promise.resolve()
  async function tick(): Promise<void> {
    while (isRunning) {
      await runPhp(site, 'run-schedule.php').catch(() => {})
      await sleep(TICK_MS)
    }
  }
  return {
    start() {
      isRunning = true
      run = tick()
    },
    stop() {
      isRunning = false
      return run
    },
  }
}

function configOf(url: string, socket: string): string {
  const constants = {
    DB_NAME: 'wordpress',
    DB_USER: 'root',
    DB_PASSWORD: '',
    DB_HOST: `localhost:${socket}`,
    DB_CHARSET: 'utf8mb4',
    DB_COLLATE: '',
    WP_HOME: url,
    WP_SITEURL: url,
    // Passwords of applications work without https there.
    WP_ENVIRONMENT_TYPE: 'local',
    WP_DEBUG: true,
    WP_DEBUG_LOG: true,
    WP_DEBUG_DISPLAY: false,
    DISABLE_WP_CRON: true,
    AUTOMATIC_UPDATER_DISABLED: true,
    WP_HTTP_BLOCK_EXTERNAL: true,
    WP_ACCESSIBLE_HOSTS: '127.0.0.1,localhost',
    ...Object.fromEntries(
      ['AUTH', 'SECURE_AUTH', 'LOGGED_IN', 'NONCE'].flatMap((name) => [
        [`${name}_KEY`, `${name} key of a test`],
        [`${name}_SALT`, `${name} salt of a test`],
      ]),
    ),
  }
  const lines = Object.entries(constants).map(
    ([name, value]) => `define('${name}', ${JSON.stringify(value)});`,
  )
  return `<?php\n${lines.join('\n')}\n$table_prefix = 'wp_';\nif (!defined('ABSPATH')) define('ABSPATH', __DIR__ . '/');\nrequire_once ABSPATH . 'wp-settings.php';\n`
}
