/** How the reader of our messages runs Kassa: with npm in a checkout, or with the program of a release's archive. */
import { existsSync, realpathSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** Only an archive has this file beside the server. */
const PROGRAM = fileURLToPath(new URL('../kassa', import.meta.url))
/** Where the guide "Deploying" puts the link to the version in use, and the settings of the service. */
const LINKED = '/opt/kassa/kassa'
const SETTINGS_FILE = '/etc/kassa/kassa.env'

/** Where the guide "Backups" puts them. */
export const BACKUPS = '/var/backups/kassa'

const IN_CHECKOUT = 'npm run -s admin --'

const program = findProgram(PROGRAM, LINKED)

export const START = program ? `${program} start` : 'npm start'
/** Every command that is printed for an operator begins with this. */
export const ADMIN = program ? `${program} admin` : IN_CHECKOUT
export const isArchive = program !== null
export const RESTART = isArchive ? 'systemctl restart kassa' : START
/** The command that shows why the service ended. */
export const SERVICE_LOG = isArchive ? 'journalctl --unit kassa --lines 50' : START

/** Returns the command that gives a setting another value. `example`: what such a value looks like. */
export function changeSetting(name: string, example: string): string {
  return isArchive ? `sudoedit ${SETTINGS_FILE}  # ${name}=${example}` : `${name}=${example} ${START}`
}

/** Returns null in a checkout. The link is preferred, because a command through it stays right after an upgrade. */
export function findProgram(own: string, linked: string): string | null {
  if (!existsSync(own)) return null
  return existsSync(linked) && realpathSync(linked) === realpathSync(own) ? linked : own
}

/** A guide in an archive prints each command of the operator as it is typed on a machine that was set up as "Deploying" says. */
export function guideOfArchive(text: string): string {
  return text.replaceAll(`${IN_CHECKOUT} `, `${LINKED} admin `)
}
