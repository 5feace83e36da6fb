export const EN = {
  languages: 'Language',
  welcomeTitle: 'Console',
  welcomeText: 'For the people who run the shops and this service.',
  linkNeeded: 'New here? Open the link that an administrator has given you. It works once, for a day.',

  notFoundTitle: 'There is nothing here',
  notFoundText: 'The address is wrong, or it is not yours to see.',
  forbiddenTitle: 'This form was not accepted',
  forbiddenText: 'It did not come from this page. Open the page again, and send the form from there.',
  busyTitle: 'Too many tries',
  busyText: 'Wait {seconds} seconds, then try again.',
  errorTitle: 'Something went wrong',
  errorText:
    'It is not your fault. Try again, and if it happens again, tell whoever runs this service the number below.',
  requestNumber: 'Number of this request: {id}',
  back: 'Back to the start',
}
export type ConsoleKey = keyof typeof EN
