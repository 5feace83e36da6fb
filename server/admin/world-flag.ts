/** Which world a command works on, and how the commands that it prints say so. */
import type { Context, Worlds } from '../context.ts'
import { WORLDS, type World } from '../contract/health.ts'
import { AppError } from '../errors.ts'
import { worldOfName } from '../id.ts'
import { mainWorld } from '../worlds.ts'
import { ADMIN } from './command.ts'

/**
 * Returns the world that `--live` or `--sandbox` names. Without either, an id or a key of the sandbox names the sandbox. Null if
 * nothing names a world: then the command works on the deployment's own.
 * @throws AppError validation_failed if both flags are given
 */
export function worldInArguments(args: readonly string[]): World | null {
  const named = WORLDS.filter((world) => args.includes(`--${world}`))
  if (named.length > 1)
    throw new AppError('validation_failed', { message: 'Give --live or --sandbox, not both.' })
  if (named[0]) return named[0]
  const values = args.map((text) => text.replace(/^--[\w-]+=/, ''))
  return values.some((text) => worldOfName(text) === 'sandbox') ? 'sandbox' : null
}

/** @throws AppError validation_failed for a world that is not served */
export function contextOf(worlds: Worlds, world: World | null): Context {
  const ctx = world === null ? mainWorld(worlds) : worlds[world]
  if (ctx) return ctx
  throw new AppError('validation_failed', {
    message: 'This deployment serves the sandbox alone, so there is no live world to work on.',
    hint: 'Run the command with the settings of the live service: MODE=live, and what it needs.',
  })
}

const PRINTED = new RegExp(`${ADMIN} [^\\n"\\\\]*`, 'g')

/** Adds the world's flag to every printed command that names no world, so that the command stays in this world. */
export function withWorldFlag(text: string, world: World): string {
  return text.replaceAll(PRINTED, (command) =>
    /--(live|sandbox)\b/.test(command) ? command : command.replace(ADMIN, `${ADMIN} --${world}`),
  )
}
