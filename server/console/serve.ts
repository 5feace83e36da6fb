/** Starts the console's own server, on its own port. It shares the contexts of the process, and nothing of the interface for shops. */
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import type { Express } from 'express'
import { consoleOrigin } from '../access/address.ts'
import { firstLink } from '../access/first-run.ts'
import { ConfigError } from '../config.ts'
import { systemClock, type Worlds } from '../context.ts'
import { connectionsPerAddress, createHttpServer, guard } from '../http/server.ts'
import { newSharedId } from '../id.ts'
import { nameOf } from '../settings/table.ts'
import { hasCredentials } from '../storage/access/credentials.ts'
import { readOtherHosts } from '../storage/access/other-hosts.ts'
import { mainWorld } from '../worlds.ts'

/** `firstLink`: a one-time link, while nobody has signed in to a sandbox's console yet. */
export type ConsoleServer = { origin: string; firstLink: string | null; close(): Promise<void> }

const CLOSE_IDLE_EVERY_MS = 50
/** A photo of a megabyte takes half a minute on a slow line. */
const REQUEST_WITHIN_MS = 60_000

/**
 * Returns null if the console is off. In sandbox mode it is off too if its port is in use, because the port is a default there.
 * @throws ConfigError in live mode if the port cannot be opened
 */
export async function startConsole(
  worlds: Worlds,
  warn: (line: string) => void,
): Promise<ConsoleServer | null> {
  const { config } = mainWorld(worlds)
  if (config.consolePort === null) return null
  const newRequestId = () => newSharedId('req', systemClock.now())
  const server = createHttpServer(newRequestId, connectionsPerAddress(config), {
    requestWithinMs: REQUEST_WITHIN_MS,
  })
  server.listen(config.consolePort, config.host)
  try {
    await once(server, 'listening')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const problem = `${nameOf('consolePort')}: ${config.host}:${config.consolePort} cannot be opened (${code})`
    if (config.mode === 'live') throw new ConfigError([problem])
    warn(`Warning: The console is off: ${problem}. Choose another port, or off.`)
    return null
  }
  const { port } = server.address() as AddressInfo
  const origin = consoleOrigin(config, port) ?? ''
  const answerer = await answererOf(worlds, origin)
  const { hosts } = await readOtherHosts(mainWorld(worlds).db, new URL(origin).hostname)
  for (const { host } of hosts)
    warn(
      `Warning: Passkeys of the console were made at ${host}. They do not work at ${origin}: change ${nameOf('consoleBaseUrl')} back, or give their owners new links.`,
    )
  server.on('request', guard(newRequestId, answerer))
  return {
    origin,
    firstLink: await firstLink(mainWorld(worlds), origin),
    async close() {
      const closeIdle = setInterval(() => server.closeIdleConnections(), CLOSE_IDLE_EVERY_MS)
      server.close()
      await once(server, 'close')
      clearInterval(closeIdle)
    },
  }
}

/**
 * The code of the console takes 10 MB. It is loaded before the first request only where somebody can sign in. A deployment that
 * uses the command line alone never needs it.
 */
async function answererOf(worlds: Worlds, origin: string): Promise<Parameters<typeof guard>[1]> {
  const { db, log } = mainWorld(worlds)
  let app: Promise<Express> | undefined
  const load = () => {
    app ??= import('./app.ts').then(({ createConsole }) => createConsole(worlds, origin))
    return app
  }
  if (await hasCredentials(db)) await load()
  return (request, response) => {
    load().then(
      (loaded) => loaded(request, response),
      (error: unknown) => {
        log.error({ err: error }, 'console not loaded')
        response.destroy()
      },
    )
  }
}
