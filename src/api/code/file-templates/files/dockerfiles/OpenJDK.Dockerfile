FROM maven:3-eclipse-temurin-21 AS build

WORKDIR /src
COPY pom.xml ./
RUN mvn --batch-mode dependency:go-offline

COPY src ./src
RUN mvn --batch-mode package

FROM eclipse-temurin:21-jre
COPY --from=build /src/target/*.jar /app.jar
USER nobody
EXPOSE 8080
CMD ["java", "-jar", "/app.jar"]
