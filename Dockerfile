# The version of Node is the one in package.json; Debian, since its `setpriv` lets the kernel confine the sandboxes.
FROM node:26.10.0-trixie-slim AS base

FROM base AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# All binaries come ready-made, and Node with the image: no package needs to run a script.
RUN npm ci --omit=dev --ignore-scripts && mkdir /data

FROM base
WORKDIR /app
COPY --from=build /app/node_modules node_modules
COPY package.json LICENSE ./
COPY drizzle drizzle
COPY docs docs
COPY src src
# Where the data of SQLite would go; with PostgreSQL nothing is written anywhere.
COPY --from=build --chown=1000:1000 /data /data
VOLUME /data
ENV NODE_ENV=production HOST=0.0.0.0 PORT=4000 DATABASE_URL=sqlite:/data/rostrum.db
USER 1000:1000
EXPOSE 4000
HEALTHCHECK --interval=5s --timeout=3s --start-period=30s --start-interval=1s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.PORT + '/ready').then(a => process.exit(a.ok ? 0 : 1))"]
ENTRYPOINT ["node", "src/start.mjs"]
CMD ["serve"]
