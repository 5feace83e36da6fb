/** Finds a context among the worlds that a deployment serves. */
import type { Context, Worlds } from './context.ts'
import { worldOfName } from './id.ts'

/** Returns the context of the main world: the live world if it is served, or else the sandbox. */
export function mainWorld({ live, sandbox }: Worlds): Context {
  return live ?? sandbox
}

/** Returns the worlds that are served, the live world first. */
export function listWorlds({ live, sandbox }: Worlds): Context[] {
  return live ? [live, sandbox] : [sandbox]
}

/** Returns the context of the world that an id, an api key or a public key names. Null if that world is not served. */
export function worldNamedBy(worlds: Worlds, name: string): Context | null {
  const world = worldOfName(name)
  return world === null ? mainWorld(worlds) : (worlds[world] ?? null)
}

/** Returns whether an id belongs to the other world. */
export function isOfOtherWorld({ world }: Context, id: string): boolean {
  const named = worldOfName(id)
  return named !== null && named !== world
}
