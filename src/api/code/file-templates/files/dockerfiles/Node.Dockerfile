FROM node:lts-slim

WORKDIR /app
ENV NODE_ENV=production

COPY package.json package-lock.json ./
RUN npm ci --omit=dev

COPY . .
USER node
EXPOSE 8080
CMD ["npm", "start"]
