// Shows the OpenAPI document of this gateway. A tab that is signed in sends its token with what is tried out.
const prefersDark = matchMedia('(prefers-color-scheme: dark)')
const showColours = () => document.documentElement.classList.toggle('dark-mode', prefersDark.matches)
prefersDark.addEventListener('change', showColours)
showColours()

function readToken() {
  try {
    return JSON.parse(sessionStorage.getItem('rostrum.session') ?? 'null')?.token ?? null
  } catch {
    return null
  }
}

// The navigation leads to the pages that need a session.
const navigation = document.querySelector('.viewer-bar nav')
const tokenAtStart = readToken()
navigation.hidden = tokenAtStart === null
navigation.querySelector('button').addEventListener('click', () => {
  for (const key of ['rostrum.session', 'rostrum.return', 'rostrum.open']) sessionStorage.removeItem(key)
  location.assign('/login')
})

// A page that the browser kept, and shows again on Back, has the answers that the person of then got.
addEventListener('pageshow', ({ persisted }) => {
  if (persisted && readToken() !== tokenAtStart) location.reload()
})

const options = {
  url: '/openapi.json',
  dom_id: '#viewer',
  deepLinking: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  // Another host would check the document.
  validatorUrl: null,
  requestInterceptor(request) {
    const token = readToken()
    if (token !== null && request.headers.Authorization === undefined && !request.loadSpec)
      request.headers.Authorization = `Bearer ${token}`
    return request
  },
}

const place = document.querySelector('#viewer')
// Nobody has to wait for what the page says if nothing of the viewer loads.
if (globalThis.SwaggerUIBundle === undefined) place.classList.add('failed')
else {
  // The viewer has parts outside of its main.
  Object.assign(place, { role: 'region', ariaLabel: 'API' })
  globalThis.SwaggerUIBundle(options)
}
