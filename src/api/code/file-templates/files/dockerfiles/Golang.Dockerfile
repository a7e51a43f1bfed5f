FROM golang:latest AS build

WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download

COPY . .
RUN CGO_ENABLED=0 go build -o /bin/app .

FROM scratch
COPY --from=build /bin/app /app
USER 65534
ENTRYPOINT ["/app"]
