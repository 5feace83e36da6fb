/** An account without a name, as containers often have it: its user id has no entry in /etc/passwd. */
import { statSync } from 'node:fs'
import { dirname } from 'node:path'
import { ROOT } from './programs.ts'

export const NAMELESS = { uid: 54_321, gid: 54_321 }

/** Only root can start a process of another account, and that account must be able to read this checkout. */
export function canBeNameless(): boolean {
  return process.getuid?.() === 0 && canEnter(ROOT) && canEnter(dirname(process.execPath))
}

function canEnter(directory: string): boolean {
  if ((statSync(directory).mode & 0o005) !== 0o005) return false
  const parent = dirname(directory)
  return parent === directory || canEnter(parent)
}
