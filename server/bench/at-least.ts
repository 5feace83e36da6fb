import { InvalidArgumentError } from 'commander'

/** Parses the value of a flag: a whole number that is at least `least`. */
export const atLeast = (least: number) => (text: string) => {
  const value = Number(text)
  if (!Number.isInteger(value) || value < least)
    throw new InvalidArgumentError(`a whole number from ${least} on`)
  return value
}
