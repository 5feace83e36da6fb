/** What an examination has found about one thing. */

/** `state`: `bad` needs somebody now, `open` can wait. `next`: the command that shows the problem or solves it. */
export type Finding =
  | { state: 'good'; about: string; message: string; next?: string }
  | { state: 'open' | 'bad'; about: string; message: string; next: string }

export const good = (about: string, message: string): Finding => ({ state: 'good', about, message })
export const bad = (about: string, message: string, next: string): Finding => ({
  state: 'bad',
  about,
  message,
  next,
})
